"""`mosaic deploy`: another operator into a seat of a running session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.app import reading, run_index
from mosaic.app.hands import Hands
from mosaic.runs.folder import is_over
from mosaic.store.reader import StoreReader
from tests.cli.conftest import Said
from tests.daemons import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mosaic.paths import DataRoot

pytestmark = pytest.mark.timeout(300)
Call = "Callable[..., Said]"


@pytest.fixture
def going(root: DataRoot, mosaic: Callable[..., Said]) -> Iterator[str]:
    """A session of a car that nobody drives, at a tick; its run."""
    said = mosaic("play", "MountainCar-v0", "-o", "noop", "--fps", "50", "-n", "50", "--detach")
    assert said.code == 0, said.err
    run_id = said.out.strip()
    until((root.run(run_id).path / "session.sock").exists)
    yield run_id
    mosaic("stop", run_id)


def test_an_operator_takes_the_seat_of_a_running_session(
    root: DataRoot, going: str, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text("def act(view):\n    return 2\n")
    said = mosaic("deploy", going, f"python:{mind}")
    assert said.code == 0, said.err
    assert f"python:{mind} decides in run {going} now" in said.err
    with Hands(root.run(going), name="test") as hands:
        hands.order("quit")
        until(lambda: hands.read() is None or hands.ended)
    until(lambda: is_over(root.run(going), run_index.row_of(root, going).state))
    actions = reading.ask(
        root,
        going,
        lambda reader: [step.action for row in reader.episodes() for step in reader.steps(row.index)],
    )
    assert actions[0] == 0
    assert 2 in actions


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("nobody",), "'nobody' is neither an operator, nor a run, nor a file"),
        (("random", "op.speed=3"), "random has no parameter 'speed'"),
        (("random", "--seat", "player_9"), "there is no seat 'player_9'"),
        (("cmd:sh -c 'read asked; exit 3'",), "it ended with code 3"),
    ],
)
def test_what_cannot_play_is_refused_and_the_one_before_stays(
    root: DataRoot, going: str, mosaic: Callable[..., Said], words: tuple[str, ...], why: str
) -> None:
    said = mosaic("deploy", going, *words)
    assert said.code == 2
    assert why in said.err
    with StoreReader(root.run(going)) as reader:
        before = reader.summary().steps
    until(lambda: _steps(root, going) > before)


def _steps(root: DataRoot, run_id: str) -> int:
    with StoreReader(root.run(run_id)) as reader:
        return reader.summary().steps


def test_a_run_that_is_no_session_is_refused(recorded: DataRoot, mosaic: Callable[..., Said]) -> None:
    del recorded
    said = mosaic("deploy", "printed", "random")
    assert said.code == 2
    assert "does not play a session now" in said.err
