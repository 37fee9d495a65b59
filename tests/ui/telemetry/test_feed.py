"""Reading for the telemetry: of the run in focus, while somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.ui.telemetry.feed import TelemetryFeed
from mosaic.ui.telemetry.model import News, Telemetry
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


@pytest.fixture
def telemetry() -> Telemetry:
    return Telemetry()


@pytest.fixture
def feed(context: Context, telemetry: Telemetry) -> Iterator[TelemetryFeed]:
    made = TelemetryFeed(context, telemetry, gap_ms=1)
    yield made
    made.close()


def choose(context: Context, *returns: float) -> Stored:
    run = Stored(context.root)
    run.episodes(returns)
    context.runs.update([run.commit()])
    context.selection.choose([run.run_id])
    return run


def returns(telemetry: Telemetry) -> list[float | None]:
    return [row.return_ for row in telemetry.newest_episodes()]


def test_nothing_is_read_before_somebody_looks(
    qtbot: QtBot, context: Context, telemetry: Telemetry, feed: TelemetryFeed
) -> None:
    run = choose(context, 1.0)
    assert feed.run_id is None
    feed.start()
    assert feed.run_id == run.run_id
    qtbot.waitUntil(lambda: returns(telemetry) == [1.0], timeout=WAIT_MS)


def test_a_run_is_followed_and_another_in_focus_takes_over(
    qtbot: QtBot, context: Context, telemetry: Telemetry, feed: TelemetryFeed
) -> None:
    feed.start()
    first = choose(context, 1.0)
    qtbot.waitUntil(lambda: returns(telemetry) == [1.0], timeout=WAIT_MS)
    first.episodes([2.0])
    context.runs.update([first.commit()])
    qtbot.waitUntil(lambda: returns(telemetry) == [2.0, 1.0], timeout=WAIT_MS)
    choose(context, 9.0)
    assert returns(telemetry) == [], "nothing of the run before"
    qtbot.waitUntil(lambda: returns(telemetry) == [9.0], timeout=WAIT_MS)


def test_who_comes_back_sees_the_newest_and_nothing_was_skipped(
    qtbot: QtBot, context: Context, telemetry: Telemetry, feed: TelemetryFeed
) -> None:
    run = choose(context, 1.0)
    feed.start("left")
    qtbot.waitUntil(lambda: returns(telemetry) == [1.0], timeout=WAIT_MS)
    feed.stop("left")
    run.episodes([2.0] * 400)  # more than is caught up with
    context.runs.update([run.commit()])
    feed.start("left")
    assert returns(telemetry) == [1.0], "what was known stays until there is more"
    qtbot.waitUntil(lambda: len(returns(telemetry)) > 1, timeout=WAIT_MS)
    assert (set(returns(telemetry)), telemetry.skipped_events) == ({2.0}, 0)
    run.episodes([3.0] * 400)
    context.runs.update([run.commit()])
    feed.start("right")
    qtbot.waitUntil(lambda: 3.0 in returns(telemetry), timeout=WAIT_MS)
    assert telemetry.skipped_events > 0, "somebody looked all the time"


def test_who_comes_back_for_another_run_does_not_have_the_old_one_read(
    qtbot: QtBot, context: Context, telemetry: Telemetry, feed: TelemetryFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = choose(context, 1.0)
    feed.start()
    qtbot.waitUntil(lambda: returns(telemetry) == [1.0], timeout=WAIT_MS)
    feed.stop()
    first.episodes([2.0])
    context.runs.update([first.commit()])
    second = choose(context, 9.0)
    begun: list[str] = []

    def work(due: tuple[str, ...]) -> Callable[[], News]:
        begun.extend(due)
        return feed._work(due)

    monkeypatch.setattr(feed._following, "_work", work)
    feed.start()
    qtbot.waitUntil(lambda: returns(telemetry) == [9.0], timeout=WAIT_MS)
    assert begun == [second.run_id]


def test_what_is_closed_reads_nothing(context: Context, telemetry: Telemetry, feed: TelemetryFeed) -> None:
    feed.start()
    feed.close()
    choose(context, 1.0)
    assert (feed.run_id, feed.looking) == (None, False)
    assert not telemetry.read
