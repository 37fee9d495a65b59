"""A person on a real terminal: keys go in at a pty, and what the session recorded is what was played."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from mosaic.app import key_files, reading, run_index
from mosaic.app.keys import combination
from mosaic.protocol.hands import Binding, KeyMap
from mosaic.store.reader import StoreReader
from tests.cli.conftest import Said
from tests.daemons import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mosaic.paths import DataRoot, RunFolder

pytestmark = pytest.mark.timeout(300)
KEYS = {"Space": " ", "Left": "\x1b[D", "Right": "\x1b[C", "Up": "\x1b[A", "Down": "\x1b[B", "Esc": "\x1b"}
TO_THE_GOAL = ("Down", "Down", "Right", "Right", "Down", "Right")
_SECS = 90.0


class Terminal:
    """A program on a terminal of 100 columns and 40 lines."""

    def __init__(self, process: subprocess.Popen[bytes], ours: int) -> None:
        self.process, self._ours = process, ours
        self.screen = ""

    def press(self, key: str) -> None:
        """Press a key; what was on the screen before is forgotten."""
        self.screen = ""
        os.write(self._ours, KEYS.get(key, key).encode())

    def until(self, pattern: str) -> str:
        """Everything that was written once this was; what came before is forgotten."""
        until = time.monotonic() + _SECS
        while (found := re.search(pattern, self.screen, re.DOTALL)) is None:
            assert time.monotonic() < until, (
                f"{pattern!r} never came; the screen ends in {self.screen[-2000:]!r}"
            )
            ready, _, _ = select.select([self._ours], [], [], 0.2)
            if ready:
                try:
                    self.screen += os.read(self._ours, 1 << 16).decode(errors="replace")
                except OSError:  # the program has gone
                    assert re.search(pattern, self.screen, re.DOTALL), self.screen[-2000:]
        seen, self.screen = self.screen[: found.end()], self.screen[found.end() :]
        return seen

    def ended(self) -> int:
        """Its exit code; what it writes until then is read."""
        until = time.monotonic() + _SECS
        while self.process.poll() is None:
            assert time.monotonic() < until, self.screen[-2000:]
            ready, _, _ = select.select([self._ours], [], [], 0.1)
            if ready:
                try:
                    self.screen += os.read(self._ours, 1 << 16).decode(errors="replace")
                except OSError:
                    break
        return self.process.wait(_SECS)


@contextmanager
def terminal(root: DataRoot, *words: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    without = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    env = {name: value for name, value in os.environ.items() if name not in without}
    process = subprocess.Popen(
        [sys.executable, "-m", "mosaic", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**env, "MOSAIC_HOME": str(root.path), "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def ended(root: DataRoot) -> RunFolder:
    """The last run, once it has ended and all of it is in the store."""
    run_id = run_index.find(root, "last").run_id
    until(lambda: reading.has_ended(root, run_id))
    assert reading.wait_ingested(root, run_id)
    return root.run(run_id)


def steps_of(who: str) -> str:
    """Somebody has decided: three steps in a row are seen to be theirs."""
    return rf"{who} · step (\d+) .*{who} · step (?!\1 )(\d+) .*{who} · step (?!\1 |\2 )\d+ "


def recorded(root: DataRoot) -> list[tuple[int, float, str | None]]:
    with StoreReader(ended(root)) as reader:
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


def test_a_seat_is_taken_over_and_given_back_on_the_terminal(
    root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    said = mosaic("play", "MountainCar-v0", "-o", "noop", "--fps", "20", "--detach")
    assert said.code == 0, said.err
    with terminal(root, "take", "last") as one:
        one.until(steps_of(r"you \(for noop\)"))
        one.press("Right")
        one.until(steps_of(r"you \(for noop\)"))
        one.press("Esc")
        one.until(steps_of(r"[^(]noop"))
        one.press("Space")
        one.until("paused")
        one.press("V")
        one.press("Q")
        one.ended()
    with StoreReader(ended(root)) as reader:
        [row] = [one for one in reader.episodes() if one.steps]
        actions = {step.action for step in reader.steps(row.index)}
    assert actions >= {0, 1, 2}  # nothing pressed by noop, at rest, and the key


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
