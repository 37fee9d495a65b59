from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.daemon import decisions
from mosaic.daemon.decisions import Decision
from mosaic.daemon.places.base import Order, Sight
from mosaic.protocol.runs import ENDED, RunState, Want
from mosaic.runs.lifecycle import Verdict

sights = st.builds(
    Sight,
    verdict=st.builds(Verdict, st.sampled_from(RunState), st.just("")),
    kept=st.booleans(),
    begun=st.booleans(),
    want=st.none() | st.sampled_from(Want),
    by_reserve=st.booleans(),
)
CAN_PAUSE = [RunState.STARTING, RunState.RUNNING, RunState.PAUSED]
NOTHING = Decision()


def look(state: RunState, **facts: object) -> Sight:
    return Sight(verdict=Verdict(state, ""), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize("state", RunState)
def test_whoever_is_kept_is_told_to_stop_also_after_its_end(state: RunState) -> None:
    assert decisions.stop(look(state, kept=True), reason="enough") == Decision(
        Order(want=Want.STOP, reason="enough")
    )


@pytest.mark.parametrize("state", RunState)
def test_a_run_that_nobody_keeps_is_stopped_only_where_something_may_be_left(state: RunState) -> None:
    order = decisions.stop(look(state), reason="enough").order
    assert (order is not None) == (state in (RunState.ORPHANED, RunState.LOST, RunState.UNREADABLE))


@pytest.mark.parametrize("state", RunState)
def test_only_a_running_run_can_be_paused(state: RunState) -> None:
    decision = decisions.pause("R", look(state, want=Want.RUN), reason="lunch")
    if state in CAN_PAUSE:
        assert decision == Decision(Order(want=Want.PAUSE, reason="lunch"))
    else:
        assert decision == Decision(refusal=f"run R is {state.value}: only a running one can be paused")


@pytest.mark.parametrize("state", RunState)
@pytest.mark.parametrize("want", [None, *Want])
def test_only_what_was_ordered_to_pause_is_unpaused(state: RunState, want: Want | None) -> None:
    decision = decisions.unpause("R", look(state, want=want), disk_low="")
    if state in CAN_PAUSE and want is Want.PAUSE:
        assert decision == Decision(Order(want=Want.RUN))
    else:
        assert decision == Decision(refusal=f"run R is {state.value}, not paused")


def test_on_a_low_disk_an_unpaused_run_waits_for_the_disk_instead_of_the_user() -> None:
    paused = look(RunState.PAUSED, want=Want.PAUSE)
    decision = decisions.unpause("R", paused, disk_low="disk low: 5 MiB free")
    assert decision.order == Order(want=Want.PAUSE, reason="disk low: 5 MiB free", by_reserve=True)
    assert decision.refusal == "disk low: 5 MiB free. Free some space; the run then goes on by itself."


@pytest.mark.parametrize("state", RunState)
@pytest.mark.parametrize("kept", [True, False])
def test_only_an_ended_run_is_deleted_and_its_keeper_must_leave(state: RunState, *, kept: bool) -> None:
    decision = decisions.delete("R", look(state, kept=kept))
    if state is RunState.UNREADABLE and not kept:
        assert decision == NOTHING
    elif state not in ENDED:
        assert decision == Decision(refusal=f"run R is {state.value}. Stop it first: mosaic stop R")
    else:
        order = Order(want=Want.STOP, reason="deleted by the user")
        assert decision == Decision(order if kept else None)


def test_an_unreadable_run_is_not_deleted_while_a_process_of_it_lives() -> None:
    alive = look(RunState.UNREADABLE, alive=True)
    assert decisions.delete("R", alive).refusal == "run R is unreadable. Stop it first: mosaic stop R"


@pytest.mark.parametrize("state", CAN_PAUSE)
def test_a_low_disk_pauses_what_runs_and_a_free_one_lets_that_go_on(state: RunState) -> None:
    low = Decision(Order(want=Want.PAUSE, reason="low", by_reserve=True))
    assert decisions.keep_reserve(look(state, want=Want.RUN), disk_low="low") == low
    assert decisions.keep_reserve(look(state, want=Want.RUN), disk_low="") == NOTHING
    waiting = look(state, want=Want.PAUSE, by_reserve=True)
    assert decisions.keep_reserve(waiting, disk_low="low") == NOTHING
    assert decisions.keep_reserve(waiting, disk_low="") == Decision(Order(want=Want.RUN))


@given(sights, st.sampled_from(["", "low"]))
def test_the_disk_never_touches_what_a_user_paused_or_what_does_not_run(sight: Sight, low: str) -> None:
    decision = decisions.keep_reserve(sight, disk_low=low)
    by_user = sight.want is Want.PAUSE and not sight.by_reserve
    if by_user or sight.state not in CAN_PAUSE:
        assert decision == NOTHING


@given(sights)
def test_only_a_submission_that_was_never_taken_over_is_launched_again(sight: Sight) -> None:
    assert decisions.launchable(sight) == (sight.state is RunState.LOST and not sight.begun)
