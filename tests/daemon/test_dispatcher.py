from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mosaic.daemon.dispatcher import TAKES_A_SLOT, Standing, startable
from mosaic.protocol.runs import ENDED, RunState

standings = st.lists(
    st.builds(Standing, st.floats(0, 100), st.uuids().map(str), st.sampled_from(RunState)),
    unique_by=lambda run: run.run_id,
)


@given(standings, st.integers(1, 8), st.booleans())
def test_no_more_runs_train_than_there_are_slots(runs: list[Standing], slots: int, disk_low: bool) -> None:
    started = startable(runs, max_running=slots, disk_low=disk_low)
    taken = sum(run.state in TAKES_A_SLOT for run in runs)
    assert len(started) <= max(0, slots - taken)
    assert not (disk_low and started)
    assert {run.state for run in runs if run.run_id in started} <= {RunState.QUEUED}


@given(standings, st.integers(1, 8))
def test_free_slots_are_filled_first_come_first_served(runs: list[Standing], slots: int) -> None:
    started = startable(runs, max_running=slots, disk_low=False)
    queued = [run.run_id for run in sorted(runs) if run.state is RunState.QUEUED]
    assert started == queued[: len(started)]
    taken = sum(run.state in TAKES_A_SLOT for run in runs)
    assert len(started) == min(len(queued), max(0, slots - taken))


def test_every_state_waits_takes_a_slot_or_has_ended() -> None:
    assert set(RunState) - TAKES_A_SLOT - ENDED == {RunState.QUEUED, RunState.UNREADABLE}
