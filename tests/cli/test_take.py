"""`mosaic take`: a seat of a running session, taken over on a real terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.app import reading, run_index
from mosaic.runs.folder import is_over
from tests.cli.conftest import Said
from tests.cli.terminals import Terminal, terminal
from tests.daemons import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from mosaic.store.reader import StoreReader

pytestmark = pytest.mark.timeout(300)
_OURS, _THEIRS = r"you \(for noop\)", "[^(]noop"


def test_a_seat_is_taken_over_and_given_back_on_the_terminal(
    root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    said = mosaic("play", "MountainCar-v0", "-o", "noop", "--fps", "20", "--detach")
    assert said.code == 0, said.err
    with terminal(root, "take", "last") as one:
        began = _step(one, _OURS)
        one.press("Right")
        while _step(one, _OURS) < began + 6:  # some ticks with the key down
            pass
        one.press("Esc")
        given = _step(one, _THEIRS)
        while _step(one, _THEIRS) < given + 3:
            pass
        one.press("Space")
        one.until("paused")
        one.press("V")
        one.press("Q")
        one.ended()
    run_id = run_index.find(root, "last").run_id
    until(lambda: is_over(root.run(run_id), run_index.row_of(root, run_id).state))
    actions = reading.ask(root, run_id, _actions)
    assert {0, 2} <= set(actions)  # of noop, and the key's
    assert actions[-1] == 0  # given back


def _step(one: Terminal, who: str) -> int:
    """The step that is drawn next, while this one has the seat."""
    return int(re.findall(r"step (\d+) ·", one.until(rf"{who} · step \d+ ·"))[-1])


def _actions(reader: StoreReader) -> list[Any]:
    [row] = [one for one in reader.episodes() if one.steps]
    return [step.action for step in reader.steps(row.index)]


def test_where_there_is_no_terminal_a_person_is_told_where_to_go(
    root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    said = mosaic("play", "FrozenLake-v1", "-o", "noop", "--fps", "4", "-n", "9", "--detach")
    assert said.code == 0, said.err
    said = mosaic("take", "last")
    assert said.code == 2
    assert "type this in a terminal, or open mosaic ui" in said.err
    assert root.path.exists()
