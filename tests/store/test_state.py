"""The roll-up: counts, the last hundred returns, a speed in event time."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from mosaic.store.episodes import Live
from mosaic.store.state import Recent, State

COUNTS = ("store_seq", "episodes", "steps", "metrics", "checkpoints", "quarantined", "unknown", "holes")


def ended(seq: int, return_: float, *, steps: int = 1, outcome: str = "terminated", role: str = "") -> Live:
    return Live("e", seq, 0, 0, seq=seq, return_=return_, steps=steps, outcome=outcome, role=role or None)


def fresh() -> State:
    return State(recent_returns=Recent())


def test_only_the_last_hundred_returns_count() -> None:
    state = fresh()
    for k in range(150):
        state.saw_end(ended(k, float(k)))
    summary = state.summary()
    assert summary.last_return == 149.0
    assert summary.mean_return_100 == sum(range(50, 150)) / 100


def test_returns_that_are_no_numbers_do_not_stop_it() -> None:
    state = fresh()
    for at, value in enumerate((math.inf, -math.inf, math.nan)):
        state.saw_end(ended(at, value))
    assert math.isnan(state.summary().mean_return_100 or 0.0)
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=State)
    assert math.isnan(again.summary().last_return or 0.0)


def test_what_was_cut_and_what_has_no_step_says_nothing_about_returns() -> None:
    state = fresh()
    state.saw_end(ended(1, 20.0))
    state.saw_end(ended(2, 3.0, outcome="cut"))
    state.saw_end(ended(3, 0.0, steps=0))
    assert (state.summary().last_return, state.summary().mean_return_100) == (20.0, 20.0)


def test_evaluation_counts_only_where_there_is_nothing_else() -> None:
    state = fresh()
    state.saw_end(ended(1, 90.0, role="eval"))
    assert (state.summary().last_return, state.summary().mean_return_100) == (90.0, 90.0)
    assert state.summary().returns_of == "eval"
    state.saw_end(ended(2, 10.0, role="train"))
    state.saw_end(ended(3, 20.0))
    state.saw_end(ended(4, 94.0, role="eval"))
    summary = state.summary()
    assert (summary.last_return, summary.mean_return_100, summary.eval_mean_return_100) == (20.0, 15.0, 92.0)
    assert summary.returns_of == "train"


def test_the_last_return_is_that_of_the_episode_whose_last_event_came_last() -> None:
    state = fresh()
    for seq in (5, 9, 7):
        state.saw_end(ended(seq, float(seq)))
    assert state.summary().last_return == 9.0


def test_an_ended_episode_of_which_something_else_comes_to_be_known_counts_as_that_and_once() -> None:
    state = fresh()
    first = ended(3, 1.0)
    state.saw_end(first)
    first.curve, first.seq, first.return_, first.role = first.point, 8, 2.0, "eval"
    state.saw_end(first)
    assert state.recent_returns == Recent(evaluated=[(8, 3, 2.0)])


def test_when_one_of_a_full_hundred_no_longer_counts_the_rows_are_asked_for_the_next() -> None:
    state = fresh()
    for seq in range(99):
        state.saw_end(ended(seq, 1.0))
    last = ended(99, 1.0)
    for _ in range(2):
        state.saw_end(last)
        last.curve = last.point
    assert state.recent_returns is not None, "nothing is missing"
    last.outcome = "cut"
    state.saw_end(last)
    assert state.recent_returns is None


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


def test_what_hooks_failed_at_is_one_warning_however_many_producers_said_so() -> None:
    state = fresh()
    assert state.summary().warned == 0
    state.saw_bye({"gymnasium step": 5})
    state.saw_bye({"gymnasium step": 1_000, "sb3.save": 1})
    state.warn("the store was missing and was rebuilt from the journal")
    summary = state.summary()
    assert summary.warned == len(summary.warnings) == 2
    assert "'gymnasium step' failed 1,005 times, 'sb3.save' failed once" in summary.warnings[1]
    assert "mosaic logs RUN --stderr" in summary.warnings[1]


def test_what_a_producer_claims_its_hooks_failed_at_stays_small() -> None:
    state = fresh()
    state.saw_bye({"x" * 5000: 1 << 80, "y": -(1 << 80), **{f"hook {k}": 1 for k in range(1000)}})
    msgspec.msgpack.encode(state)
    assert len(state.summary().warnings[0]) < 2000


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
