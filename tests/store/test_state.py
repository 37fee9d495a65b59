"""The roll-up: counts, the last hundred returns, a speed in event time."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from mosaic.store.episodes import Live
from mosaic.store.state import State

COUNTS = ("store_seq", "episodes", "steps", "metrics", "checkpoints", "quarantined", "unknown", "holes")


def ended(return_: float) -> Live:
    return Live("e", 0, 0, 0, return_=return_)


def test_only_the_last_hundred_returns_count() -> None:
    state = State()
    for k in range(150):
        state.saw_end(ended(float(k)))
    summary = state.summary()
    assert summary.last_return == 149.0
    assert summary.mean_return_100 == sum(range(50, 150)) / 100


def test_returns_that_are_no_numbers_do_not_stop_it() -> None:
    state = State()
    for value in (math.inf, -math.inf, math.nan):
        state.saw_end(ended(value))
    assert math.isnan(state.summary().mean_return_100 or 0.0)
    assert math.isnan(msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=State).recent[2])


def test_the_speed_is_that_of_the_last_seconds_of_event_time() -> None:
    state = State()
    for second in range(100):
        state.saw_times(1000.0 + second, 1000.0 + second)
        state.steps += 10 if second < 50 else 500
        state.sample_speed()
    assert abs((state.summary().steps_per_sec or 0.0) - 500) < 5
    assert len(state.speed) < 70


def test_a_pause_longer_than_the_window_counts_into_the_speed() -> None:
    state = State()
    for t, steps in ((1000.0, 10), (1001.0, 20), (1051.0, 30)):
        state.saw_times(t, t)
        state.steps = steps
        state.sample_speed()
    assert state.summary().steps_per_sec == 10 / 50


def test_events_without_times_have_no_speed() -> None:
    state = State(steps=5)
    state.saw_times(0.0, 0.0)
    state.sample_speed()
    assert state.summary().steps_per_sec is None


def test_a_warning_is_kept_once_and_not_for_ever() -> None:
    state = State()
    for k in range(100):
        state.warn("same")
        state.warn(f"other {k}")
    assert state.warnings.count("same") == 1
    assert len(state.warnings) == 32


def test_a_run_begins_with_its_earliest_event_and_ends_with_its_latest() -> None:
    state = State()
    for first, last in (
        (20.0, 30.0),
        (10.0, 25.0),
        (15.0, 40.0),
        (0.0, 0.0),
        (-1.0, math.inf),
        (math.nan, 1.0),
    ):
        state.saw_times(first, last)
    assert (state.summary().t_first, state.summary().t_last) == (10.0, 40.0)


def test_the_summary_says_everything_that_is_counted_and_shares_no_list_with_the_state() -> None:
    counts: dict[str, Any] = {name: k for k, name in enumerate(COUNTS, start=1)}
    state = State(**counts, env_ids=["E-v0"], warnings=["w"], t_first=1.0, t_last=2.0)
    summary = state.summary()
    assert {name: getattr(summary, name) for name in COUNTS} == counts
    assert (summary.t_first, summary.t_last) == (1.0, 2.0)
    state.saw_env("F-v0")
    state.warn("another")
    assert (summary.env_ids, summary.warnings) == (["E-v0"], ["w"])
