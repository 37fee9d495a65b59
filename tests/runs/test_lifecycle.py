from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.protocol.runs import Control, ExitRecord, ProcRecord, RunState, Want
from mosaic.runs.lifecycle import Seen, Verdict, judge, signal_name

exits = st.builds(
    ExitRecord,
    code=st.none() | st.integers(0, 255),
    signal=st.none() | st.integers(1, 64),
    stop_asked=st.booleans(),
    error=st.none() | st.just("command not found: nope"),
)
procs = st.builds(
    ProcRecord,
    shim_pid=st.integers(2, 1 << 22),
    worker_pid=st.none() | st.integers(2, 1 << 22),
    paused=st.booleans(),
    unkillable=st.just([]) | st.just(["python (12)"]),
)
controls = st.builds(Control, want=st.sampled_from(Want), reason=st.just("") | st.just("disk low"))
looks = st.builds(
    Seen,
    exit=st.none() | exits,
    shim_alive=st.booleans(),
    tree_alive=st.booleans(),
    proc=st.none() | procs,
    control=st.none() | controls,
    shim_status=st.none() | st.integers(-64, 255),
)
WORKER = ProcRecord(shim_pid=10, worker_pid=11)


@given(looks)
def test_every_look_has_a_state_and_a_reason(seen: Seen) -> None:
    verdict = judge(seen)
    assert isinstance(verdict.state, RunState)
    assert verdict.reason


@given(looks)
def test_a_run_is_finished_only_with_exit_code_0(seen: Seen) -> None:
    if judge(seen).state is RunState.FINISHED:
        assert seen.exit is not None
        assert (seen.exit.code, seen.exit.signal, seen.exit.error) == (0, None, None)


@given(looks, st.booleans(), st.booleans(), st.none() | procs, st.none() | controls)
def test_how_the_worker_ended_wins_over_everything_else(
    seen: Seen, shim: bool, tree: bool, proc: ProcRecord | None, control: Control | None
) -> None:
    if seen.exit is not None:
        other = Seen(exit=seen.exit, shim_alive=shim, tree_alive=tree, proc=proc, control=control)
        assert judge(seen) == judge(other)


@given(looks)
def test_without_an_exit_record_only_the_locks_decide_who_is_alive(seen: Seen) -> None:
    if seen.exit is None:
        state = judge(seen).state
        assert (state is RunState.LOST) == (not seen.shim_alive and not seen.tree_alive)
        assert (state is RunState.ORPHANED) == (not seen.shim_alive and seen.tree_alive)


@pytest.mark.parametrize(
    ("seen", "state"),
    [
        (Seen(shim_alive=True), RunState.QUEUED),
        (Seen(shim_alive=True, control=Control(want=Want.RUN)), RunState.STARTING),
        (Seen(shim_alive=True, control=Control(want=Want.RUN), proc=WORKER), RunState.RUNNING),
        (Seen(shim_alive=True, control=Control(want=Want.HOLD), proc=WORKER), RunState.RUNNING),
        (Seen(shim_alive=True, control=Control(want=Want.STOP), proc=WORKER), RunState.STOPPING),
        (Seen(shim_alive=True, control=Control(want=Want.PAUSE), proc=WORKER), RunState.RUNNING),
        (Seen(tree_alive=True, control=Control(want=Want.RUN), proc=WORKER), RunState.ORPHANED),
        (Seen(control=Control(want=Want.RUN), proc=WORKER), RunState.LOST),
        (Seen(), RunState.LOST),
        (Seen(exit=ExitRecord(code=0)), RunState.FINISHED),
        (Seen(exit=ExitRecord(code=0, stop_asked=True)), RunState.STOPPED),
        (Seen(exit=ExitRecord(signal=9)), RunState.FAILED),
    ],
)
def test_a_look_gives_this_state(seen: Seen, state: RunState) -> None:
    assert judge(seen).state is state


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (Seen(), "nothing was started: the daemon or the shim died while it was being submitted"),
        (Seen(shim_status=-2), "nothing was started: its shim was killed by SIGINT (2)"),
        (Seen(shim_status=1), "nothing was started: its shim ended with code 1"),
        (Seen(proc=ProcRecord(shim_pid=1)), "its shim was killed before the worker started"),
        (
            Seen(proc=ProcRecord(shim_pid=1), shim_status=-9),
            "its shim was killed by SIGKILL (9) before the worker started",
        ),
        (Seen(proc=WORKER), "the worker and its shim are gone without an exit code: killed, or power lost"),
        (
            Seen(proc=WORKER, shim_status=-9),
            "its shim was killed by SIGKILL (9), and the worker is gone without an exit code",
        ),
    ],
)
def test_a_lost_run_says_all_that_is_known_of_its_shim(seen: Seen, reason: str) -> None:
    assert judge(seen) == Verdict(RunState.LOST, reason)


def test_a_paused_run_says_why() -> None:
    proc = ProcRecord(shim_pid=10, worker_pid=11, paused=True)
    verdict = judge(Seen(shim_alive=True, proc=proc, control=Control(want=Want.PAUSE, reason="disk low")))
    assert (verdict.state, verdict.reason) == (RunState.PAUSED, "disk low")


def test_the_reason_of_a_failure_names_the_code_or_the_signal() -> None:
    assert judge(Seen(exit=ExitRecord(code=3))).reason == "exit code 3"
    assert judge(Seen(exit=ExitRecord(signal=11))).reason == "killed by SIGSEGV (11)"
    assert judge(Seen(exit=ExitRecord(error="command not found: nope"))).reason == "command not found: nope"


def test_an_unkillable_process_is_reported_while_stopping() -> None:
    proc = ProcRecord(shim_pid=10, worker_pid=11, unkillable=["python (11)"])
    verdict = judge(Seen(shim_alive=True, proc=proc, control=Control(want=Want.STOP)))
    assert (verdict.state, verdict.reason) == (RunState.STOPPING, "cannot be killed: python (11)")


def test_signal_names_are_those_of_the_machine() -> None:
    for number in (1, 2, 6, 7, 9, 11, 13, 15, 31):
        assert signal_name(number) == signal.Signals(number).name
    assert signal_name(63) == "signal 63"


@pytest.mark.parametrize(
    ("seen", "state"),
    [
        (Seen(bad={"folder": "why"}), RunState.UNREADABLE),
        (Seen(bad={"journal": "why"}, exit=ExitRecord(code=0)), RunState.UNREADABLE),
        (Seen(bad={"exit.json": "why"}, shim_alive=True, proc=WORKER), RunState.UNREADABLE),
        (Seen(bad={"shim.lock": "why"}), RunState.UNREADABLE),
        (Seen(bad={"tree.lock": "why"}), RunState.UNREADABLE),
        (Seen(bad={"shim.lock": "why"}, exit=ExitRecord(code=0)), RunState.FINISHED),
        (Seen(bad={"proc.json": "why"}, shim_alive=True), RunState.UNREADABLE),
        (Seen(bad={"control.json": "why"}, shim_alive=True, proc=WORKER), RunState.UNREADABLE),
        (Seen(bad={"proc.json": "why"}, tree_alive=True), RunState.ORPHANED),
        (Seen(bad={"proc.json": "why"}), RunState.LOST),
        (Seen(bad={"control.json": "why"}, exit=ExitRecord(code=1)), RunState.FAILED),
    ],
)
def test_a_run_is_unreadable_only_where_its_state_hangs_on_what_cannot_be_read(
    seen: Seen, state: RunState
) -> None:
    verdict = judge(seen)
    assert verdict.state is state
    if seen.exit is None or state is RunState.UNREADABLE:
        assert ("why" in verdict.reason) is (state is not RunState.ORPHANED)
