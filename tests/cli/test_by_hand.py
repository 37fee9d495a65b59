"""A person on a real terminal: keys go in at a pty, and what the session recorded is what was played."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.app import key_files, reading, run_index
from mosaic.app.keys import combination
from mosaic.protocol.hands import Binding, KeyMap
from mosaic.store.reader import StoreReader
from tests.cli.conftest import Said
from tests.cli.terminals import terminal
from tests.daemons import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot

pytestmark = pytest.mark.timeout(300)
TO_THE_GOAL = ("Down", "Down", "Right", "Right", "Down", "Right")


def recorded(root: DataRoot) -> list[tuple[int, float, str | None]]:
    """The episodes of the last run that have steps, once it has ended and all of it is in the store."""
    run_id = run_index.find(root, "last").run_id
    until(lambda: reading.has_ended(root, run_id))
    assert reading.wait_ingested(root, run_id)
    with StoreReader(root.run(run_id)) as reader:
        return [(one.steps, one.return_, one.outcome) for one in reader.episodes() if one.steps]


def test_a_person_plays_by_keys_and_sees_the_board_and_what_keys_mean(root: DataRoot) -> None:
    with terminal(root, "play", "FrozenLake-v1", "-o", "person", "-n", "1", "env.is_slippery=false") as one:
        seen = one.until("waits for you")
        assert "Left: left" in seen + one.until("Keyboard captured: Esc leaves")
        for step, key in enumerate(TO_THE_GOAL, 1):
            one.press(key)
            one.until(rf"you · step {step} ·")
        one.until("return 1 · over")
        one.until(r"1 of 1, seed 0: return 1 in 6 steps")
        assert one.ended() == 0
    assert recorded(root) == [(6, 1.0, "terminated")]


def test_whoever_presses_ctrl_c_ends_the_session_and_the_terminal_is_given_back(root: DataRoot) -> None:
    with terminal(root, "play", "FrozenLake-v1", "-o", "person", "env.is_slippery=false") as one:
        one.until("episode 1 · seed 0.*waits for you")
        one.press("Down")
        one.until("you · step 1")
        one.process.send_signal(signal.SIGINT)  # what the terminal makes of Ctrl-C
        one.until(re.escape("\x1b[?1049l"))
        assert one.ended() == 0
    assert recorded(root) == [(1, 0.0, "cut")]


def test_a_persons_own_keys_are_used(root: DataRoot) -> None:
    bindings = [Binding(keys=["N"], action=1, name="down"), Binding(keys=["E"], action=2, name="right")]
    assert combination(bindings[0]) == "N"
    key_files.save(root, "FrozenLake-v1", KeyMap(bindings=bindings), space=None)
    with terminal(root, "play", "FrozenLake-v1", "-o", "person", "-n", "1", "env.is_slippery=false") as one:
        one.until("N: down  E: right.*Keyboard captured")
        one.press("e")
        one.until("you · step 1")
        one.press("n")  # a hole
        one.until("return 0 · over")
        assert one.ended() == 0
    assert recorded(root) == [(2, 0.0, "terminated")]


def test_without_a_terminal_or_a_window_it_says_where_a_person_can_come_from(
    root: DataRoot, mosaic: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    with subprocess.Popen(
        [sys.executable, "-m", "mosaic", "play", "FrozenLake-v1", "-o", "person"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"MOSAIC_HOME": str(root.path)},
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if b"waits for a person" in line:
                break
        else:
            pytest.fail("it never said so")
        run_id = run_index.find(root, "last").run_id
        assert f"mosaic take {run_id}" in line.decode()
        said = mosaic("take", "last")
        assert said.code == 2
        assert "a person needs a terminal or a window" in said.err
        process.terminate()
        process.stderr.read()
