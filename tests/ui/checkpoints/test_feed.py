"""Reading for the list of checkpoints: while somebody looks, of one run or of all."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from mosaic.ui.checkpoints.feed import CheckpointsFeed
from mosaic.ui.checkpoints.model import Checkpoints
from tests.ui.checkpoints.saving import saved
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


@pytest.fixture
def listed() -> Checkpoints:
    return Checkpoints()


@pytest.fixture
def feed(context: Context, listed: Checkpoints) -> Iterator[CheckpointsFeed]:
    made = CheckpointsFeed(context, listed, gap_ms=10)
    yield made
    made.stop()


def one(context: Context, *, step: int) -> Stored:
    """A run with a checkpoint of this step."""
    run = Stored(context.root)
    saved(context, run, step=step)
    context.runs.update([run.commit(ended=True)])
    return run


def steps(listed: Checkpoints) -> set[int | None]:
    return {known.row.step for known in listed.known}


def test_the_focus_is_read_once_somebody_looks(
    qtbot: QtBot, context: Context, listed: Checkpoints, feed: CheckpointsFeed
) -> None:
    first, second = one(context, step=1), one(context, step=2)
    context.selection.choose([first.run_id])
    assert not listed.read
    feed.start()
    qtbot.waitUntil(lambda: steps(listed) == {1}, timeout=WAIT_MS)
    context.selection.choose([second.run_id])
    assert steps(listed) == set(), "not another run's, while these are read"
    qtbot.waitUntil(lambda: steps(listed) == {2}, timeout=WAIT_MS)


def test_of_all_runs_one_that_is_gone_takes_its_checkpoints_with_it(
    qtbot: QtBot, context: Context, listed: Checkpoints, feed: CheckpointsFeed
) -> None:
    first, second = one(context, step=1), one(context, step=2)
    listed.show_everywhere(True)
    feed.start()
    qtbot.waitUntil(lambda: steps(listed) == {1, 2}, timeout=WAIT_MS)
    shutil.rmtree(first.folder.path)
    context.runs.update([], gone=[first.run_id])
    qtbot.waitUntil(lambda: steps(listed) == {2}, timeout=WAIT_MS)
    shutil.rmtree(second.folder.path)
    context.runs.update([], gone=[second.run_id])
    qtbot.waitUntil(lambda: listed.empty.startswith("No run has saved"), timeout=WAIT_MS)


def test_bytes_that_changed_after_they_were_compared_are_found_by_comparing_again(
    qtbot: QtBot, context: Context, listed: Checkpoints, feed: CheckpointsFeed
) -> None:
    run = Stored(context.root)
    path = saved(context, run, step=1)
    context.runs.update([run.commit(ended=True)])
    context.selection.choose([run.run_id])
    feed.start()
    qtbot.waitUntil(lambda: steps(listed) == {1}, timeout=WAIT_MS)

    def state() -> str:
        return listed.groups(context.runs.rows)[0].cards[0].state

    feed.verify(listed.groups(context.runs.rows)[0].cards[0])
    qtbot.waitUntil(lambda: state() == "intact", timeout=WAIT_MS)
    path.write_bytes(b"Weights of 1")
    feed.verify(listed.groups(context.runs.rows)[0].cards[0])
    qtbot.waitUntil(lambda: state() == "its bytes are not the recorded ones", timeout=WAIT_MS)
