"""Reading for the charts: while somebody looks, and only what is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from mosaic.store.rebuild import rebuild
from mosaic.ui.charts.feed import ChartsFeed
from mosaic.ui.charts.loading import ChartLoader
from mosaic.ui.charts.model import Asked, Charts, Loaded
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.paths import DataRoot
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


def damage(run: Stored) -> None:
    run.folder.store.write_bytes(b"not a database, and long enough to be looked at " * 40)


def test_a_run_that_could_not_be_read_is_tried_again_by_itself(
    qtbot: QtBot, context: Context, charts: Charts
) -> None:
    run = ended(context, charts)
    damage(run)
    feed = ChartsFeed(context, charts, rest_ms=10)
    charts.show_runs([run.run_id])
    feed.start()
    qtbot.waitUntil(lambda: run.run_id in charts.problems, timeout=WAIT_MS)
    rebuild(run.folder)
    qtbot.waitUntil(lambda: run.run_id in charts.curves("return"), timeout=WAIT_MS)
    assert charts.problems == {}
    feed.stop()


class InPieces(ChartLoader):
    """Gives one page at a time, and remembers what it was asked for."""

    def __init__(self, root: DataRoot) -> None:
        super().__init__(root, page=10)
        self.asked: list[tuple[str, ...]] = []

    def load(
        self, asked: Asked, *, anew: frozenset[str] = frozenset(), budget_secs: float = -1.0
    ) -> list[Loaded]:
        self.asked.append(asked.runs)
        return super().load(asked, anew=anew, budget_secs=budget_secs)


def test_a_run_that_could_not_be_read_rests_while_a_long_one_is_read_on(
    qtbot: QtBot, context: Context, charts: Charts
) -> None:
    broken, long = Stored(context.root), Stored(context.root)
    long.metric("loss", [float(n) for n in range(50)])
    context.runs.update([broken.commit(), long.commit()])
    damage(broken)
    loader = InPieces(context.root)
    feed = ChartsFeed(context, charts, loader=loader, rest_ms=3_600_000)
    charts.toggle("loss")
    charts.show_runs([broken.run_id, long.run_id])
    feed.start()
    read(qtbot, charts, feed)
    assert len(charts.curves("loss")[long.run_id].y) == 50
    assert len(loader.asked) > 3
    assert [broken.run_id in runs for runs in loader.asked] == [True] + [False] * (len(loader.asked) - 1)
    feed.stop()


def test_the_chosen_runs_are_charted(context: Context, charts: Charts) -> None:
    context.selection.choose(["01A"])
    ChartsFeed(context, charts)
    assert list(charts.runs) == ["01A"], "also those chosen before"
    context.selection.choose(["01A", "01B"])
    assert list(charts.runs) == ["01A", "01B"]
