"""Reading for the charts: while somebody looks, and only what is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from mosaic.ui.charts.feed import ChartsFeed
from mosaic.ui.charts.model import Charts
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


@pytest.fixture
def charts() -> Charts:
    return Charts()


@pytest.fixture
def feed(context: Context, charts: Charts) -> Iterator[ChartsFeed]:
    made = ChartsFeed(context, charts)
    yield made
    made.stop()


def ended(context: Context, charts: Charts) -> Stored:
    """A run of three episodes, to be charted."""
    run = Stored(context.root)
    run.episodes([1.0, 2.0, 3.0])
    context.runs.update([run.commit(ended=True)])
    charts.show_runs([run.run_id])
    return run


def read(qtbot: QtBot, charts: Charts, feed: ChartsFeed) -> None:
    qtbot.waitUntil(lambda: not feed.reading and not charts.waiting, timeout=WAIT_MS)


def test_nothing_is_read_before_somebody_looks_and_all_of_it_then(
    qtbot: QtBot, context: Context, charts: Charts, feed: ChartsFeed
) -> None:
    run = ended(context, charts)
    feed.ask()
    assert not feed.reading
    feed.start()
    assert feed.reading
    read(qtbot, charts, feed)
    assert len(charts.curves("return")[run.run_id].y) == 3


def test_an_ended_run_is_read_again_only_when_it_or_the_question_is_another(
    qtbot: QtBot, context: Context, charts: Charts, feed: ChartsFeed
) -> None:
    run = ended(context, charts)
    feed.start()
    read(qtbot, charts, feed)
    feed.ask()
    assert not feed.reading
    charts.set_axis("episodes")
    feed.ask()
    assert feed.reading
    read(qtbot, charts, feed)
    feed.ask()
    assert not feed.reading
    row = context.runs.get(run.run_id)
    assert row is not None
    context.runs.update([msgspec.structs.replace(row, store_seq=row.store_seq + 1)])
    feed.ask()
    assert feed.reading
    feed.stop()
    read(qtbot, charts, feed)


def test_a_run_that_is_chosen_while_another_is_read_does_not_wait_for_the_clock(
    qtbot: QtBot, context: Context, charts: Charts
) -> None:
    first = ended(context, charts)
    slow = ChartsFeed(context, charts, gap_ms=3_600_000)
    slow.start()
    second = Stored(context.root)
    second.episodes([5.0])
    context.runs.update([second.commit(ended=True)])
    charts.show_runs([first.run_id, second.run_id])
    read(qtbot, charts, slow)
    assert set(charts.curves("return")) == {first.run_id, second.run_id}
    slow.stop()
