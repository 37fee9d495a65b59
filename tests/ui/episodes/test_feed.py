"""Reading for the list of episodes: while somebody looks, and as it is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.ui.episodes.feed import EpisodesFeed
from mosaic.ui.episodes.model import EpisodeList
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


@pytest.fixture
def listed() -> EpisodeList:
    return EpisodeList()


@pytest.fixture
def feed(context: Context, listed: EpisodeList) -> Iterator[EpisodesFeed]:
    made = EpisodesFeed(context, listed, gap_ms=10)
    yield made
    made.stop()


def indexes(listed: EpisodeList) -> list[int]:
    return [] if listed.episodes is None else [int(index) for index in listed.episodes.index[listed.rows]]


def test_the_focus_is_read_once_somebody_looks_and_what_is_stored_later_too(
    qtbot: QtBot, context: Context, listed: EpisodeList, feed: EpisodesFeed
) -> None:
    run = Stored(context.root)
    run.episodes([1.0, 2.0])
    context.runs.update([run.commit()])
    context.selection.choose([run.run_id])
    assert (listed.run_id, listed.read) == (run.run_id, False)
    feed.start()
    qtbot.waitUntil(lambda: indexes(listed) == [1, 0], timeout=WAIT_MS)
    run.episodes([3.0])
    context.runs.update([run.commit()])
    qtbot.waitUntil(lambda: indexes(listed) == [2, 1, 0], timeout=WAIT_MS)
    context.selection.choose([])
    assert (listed.run_id, indexes(listed)) == (None, [])


def test_another_order_or_filter_is_worked_out_although_nothing_was_stored(
    qtbot: QtBot, context: Context, listed: EpisodeList, feed: EpisodesFeed
) -> None:
    run = Stored(context.root)
    run.episodes([2.0, 3.0, 1.0])
    context.runs.update([run.commit(ended=True)])
    context.selection.choose([run.run_id])
    feed.start()
    qtbot.waitUntil(lambda: indexes(listed) == [2, 1, 0], timeout=WAIT_MS)
    listed.sort("return")
    qtbot.waitUntil(lambda: indexes(listed) == [1, 0, 2], timeout=WAIT_MS)
    listed.filter("return>1.5")
    qtbot.waitUntil(lambda: indexes(listed) == [1, 0], timeout=WAIT_MS)
