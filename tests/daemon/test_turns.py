"""When a run's next turn is due. No clock: times are numbers."""

from __future__ import annotations

from dataclasses import replace

from mosaic.daemon import turns
from mosaic.daemon.turns import Standing, due_at

GOING = Standing(since=0.0, first_at=1.0, last=100.0, work_secs=0.002)


def turns_between(run: Standing, start: float, stop: float, *, leased: bool = False) -> int:
    """How many turns fall into that time when each is taken as soon as it is due."""
    run, count = replace(run, last=start, leased_until=stop + 1 if leased else 0.0), 0
    while (due := due_at(run)) < stop:
        run, count = replace(run, last=due), count + 1
    return count


def test_a_run_has_its_first_turn_as_soon_as_it_is_known() -> None:
    assert due_at(Standing(since=5.0)) == 5.0


def test_with_nobody_looking_a_run_has_a_turn_every_two_seconds() -> None:
    assert turns_between(GOING, 100.0, 160.0) == 60 / turns.UNWATCHED_SECS - 1


def test_with_a_lease_it_has_one_every_tenth_of_a_second() -> None:
    assert abs(turns_between(GOING, 100.0, 160.0, leased=True) - 600) <= 1


def test_a_lease_that_ran_out_is_none() -> None:
    assert due_at(replace(GOING, leased_until=100.05)) == due_at(GOING)


def test_a_lease_taken_late_makes_a_turn_due_that_was_not() -> None:
    assert due_at(replace(GOING, leased_until=105.0)) == 100.0 + turns.FRESH_SECS


def test_after_a_poke_a_turn_is_due_at_once() -> None:
    assert due_at(replace(GOING, poked=True)) == 100.0 + turns.SOONEST_SECS


def test_a_run_that_writes_much_has_its_turn_before_more_than_a_bound_is_waiting() -> None:
    fast = replace(GOING, bytes_per_sec=8.0 * turns.WAITING_BYTES)
    assert due_at(fast) == 100.0 + 1 / 8


def test_a_run_that_has_recorded_nothing_yet_is_looked_at_often_for_a_while() -> None:
    new = Standing(since=0.0, last=10.0)
    assert due_at(new) == 10.0 + turns.FIRST_SECS
    forgotten = replace(new, last=turns.PATIENCE_SECS)
    assert due_at(forgotten) == turns.PATIENCE_SECS + turns.UNWATCHED_SECS


def test_after_its_first_events_the_pauses_double_until_they_are_the_usual_ones() -> None:
    run, pauses = Standing(since=0.0, first_at=10.0, last=10.0), []
    for _ in range(8):
        due = due_at(run)
        pauses.append(round(due - (run.last or 0.0), 6))
        run = replace(run, last=due)
    assert pauses == [0.1, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]


def test_what_needs_no_new_event_is_done_without_a_pause() -> None:
    assert due_at(replace(GOING, more=True)) == 100.0


def test_a_run_that_is_ending_is_looked_at_often_until_it_has() -> None:
    assert due_at(replace(GOING, ending=True)) == 100.0 + turns.FIRST_SECS


def test_turns_that_take_long_leave_most_of_the_time_to_others_even_under_a_lease() -> None:
    slow = replace(GOING, leased_until=200.0, work_secs=0.2)
    assert due_at(slow) == 100.0 + turns.SHARE * 0.2


def test_a_run_that_failed_is_left_alone_whoever_asks() -> None:
    failed = replace(GOING, retry_at=130.0, poked=True, more=True, leased_until=200.0)
    assert due_at(failed) == 130.0
    assert due_at(Standing(since=0.0, retry_at=7.0)) == 7.0
