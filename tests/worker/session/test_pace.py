from __future__ import annotations

from itertools import pairwise

import pytest

from mosaic_worker.session.pace import Pace


class Clock:
    """Time that passes only while somebody sleeps, or works."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def read(self) -> float:
        return self.now

    def sleep(self, secs: float) -> None:
        self.slept.append(round(secs, 6))
        self.now += secs


def test_ticks_come_at_their_interval_whatever_the_work_between_takes() -> None:
    clock = Clock()
    pace = Pace(10, clock=clock.read, sleep=clock.sleep)
    ticks = []
    for work in (0.0, 0.03, 0.05):
        pace.wait()
        ticks.append(clock.now)
        clock.now += work
    pace.wait()
    ticks.append(clock.now)
    assert [round(after - before, 6) for before, after in pairwise(ticks)] == [
        0.1,
        0.1,
        0.1,
    ]
    assert clock.slept == [0.1, 0.07, 0.05]


def test_a_late_tick_is_not_made_up_for() -> None:
    clock = Clock()
    pace = Pace(10, clock=clock.read, sleep=clock.sleep)
    pace.wait()
    clock.now += 5.0
    pace.wait()
    assert clock.slept == []
    pace.wait()
    assert clock.slept == [0.1]


def test_without_a_pace_nobody_waits() -> None:
    clock = Clock()
    pace = Pace(clock=clock.read, sleep=clock.sleep)
    for _ in range(3):
        pace.wait()
    assert clock.slept == []


@pytest.mark.parametrize("hz", [0, -1, 10_001])
def test_a_pace_that_is_none_is_refused(hz: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 10,000"):
        Pace(hz)
