"""When frames and scenes are due: pure numbers, no lane. What comes of them is in test_frames."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mosaic_worker.common import layout
from mosaic_worker.exhibits import NEVER, Clock, Exhibit, Row
from mosaic_worker.fastlane import Lease


def lease(kind: int, *, period: int = 10, width: int = 7, height: int = 9) -> Lease:
    return Lease(period, 1, width, height, kind)


def test_a_stream_takes_the_leases_of_its_kind_and_serves_the_most_demanding() -> None:
    row = Row(3)
    mine = [
        lease(layout.PIXELS, period=30, width=5),
        lease(layout.PIXELS, period=20, height=4),
        lease(layout.SCENE, period=1, width=99),
    ]
    assert row.frames.ask(mine) == [30, 20]
    assert (row.frames.wanted, row.frames.width, row.frames.height) == (True, 7, 9)
    assert row.scenes.ask(mine) == [1]
    assert row.scenes.ask(mine[:2]) == []
    assert not row.scenes.wanted


def test_newly_watched_is_due_at_once_and_unwatched_never() -> None:
    clock = Clock(stopped=False)
    assert clock.due == NEVER
    clock.seen_at = 4
    clock.ask([50, 20], 1000)
    assert (clock.due, clock.period, clock.seen_at) == (1000, 20, -1)
    clock.ask([], 1001)
    assert clock.due == NEVER
    clock.ask([20], 1002)
    clock.stop()
    clock.ask([20], 1003)
    assert clock.due == NEVER


@given(st.lists(st.integers(1, 30), min_size=1, max_size=200), st.integers(5, 40))
def test_looking_often_puts_nothing_off_and_nothing_comes_much_too_soon(
    looks: list[int], period: int
) -> None:
    clock, now, shown = Clock(stopped=False), 0, []
    for passed in looks:
        now += passed
        clock.ask([period], now)
        if now >= clock.due:
            shown.append(now)
            clock.shown(now)
        assert now - shown[-1] < period, "it was due, and not shown"
    assert all(later - earlier >= period // 2 for earlier, later in pairwise(shown))


def test_an_exhibit_is_due_when_either_of_its_kinds_is() -> None:
    exhibit = Exhibit([], [], lambda _: [], lambda _env, _last: b"", drawable=False)
    assert not exhibit.known
    exhibit.frames.ask([10], 5)
    assert exhibit.due == NEVER, "it cannot be drawn"
    exhibit.scenes.ask([10], 7)
    assert exhibit.due == 7
    assert Exhibit([], [], lambda _: [], None, drawable=True).known
