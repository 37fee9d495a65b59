from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mosaic.daemon.places.base import Sight
from mosaic.errors import AmbiguousRunError, RunNotFoundError
from mosaic.protocol.cards import Job
from mosaic.protocol.rows import NUMBERS, StoreSummary
from mosaic.protocol.runs import (
    ExitRecord,
    Manifest,
    ProcRecord,
    RunRow,
    RunSpec,
    RunState,
    StateChange,
    elapsed_secs,
)
from mosaic.runs.lifecycle import Seen, Verdict, judge
from mosaic.runs.listing import last_line, make_row, matching
from mosaic_worker.common.redact import MARK

if TYPE_CHECKING:
    from pathlib import Path


def row(run_id: str, name: str, created: float) -> RunRow:
    return RunRow(run_id=run_id, name=name, state=RunState.RUNNING, reason="", created=created, command=["x"])


ROWS = [
    row("01ARZ3NDEKTSV4RRFFQ69G5FAV", "alpha", 1.0),
    row("01ARZ3NDEKTSV4RRFFQ69G5FAW", "beta", 3.0),
    row("01BRZ3NDEKTSV4RRFFQ69G5FAX", "beta", 2.0),
]


@pytest.mark.parametrize(
    ("text", "index"),
    [("last", 1), ("alpha", 0), (ROWS[1].run_id, 1), ("01b", 2), (ROWS[0].run_id.lower(), 0)],
)
def test_one_run_is_meant_by(text: str, index: int) -> None:
    assert matching(ROWS, text) is ROWS[index]


def test_several_runs_of_a_name_or_prefix_are_listed() -> None:
    with pytest.raises(AmbiguousRunError, match=f"(?s){ROWS[1].run_id}.*{ROWS[2].run_id}"):
        matching(ROWS, "beta")
    with pytest.raises(AmbiguousRunError, match="2 runs match '01A'"):
        matching(ROWS, "01A")


def test_a_name_nobody_has_gets_a_suggestion() -> None:
    with pytest.raises(RunNotFoundError, match="Did you mean 'alpha'"):
        matching(ROWS, "alhpa")
    with pytest.raises(RunNotFoundError, match="no runs yet"):
        matching([], "last")
    with pytest.raises(RunNotFoundError):
        matching(ROWS, "")


def test_a_row_joins_what_was_asked_seen_and_stored() -> None:
    manifest = Manifest(spec=RunSpec(run_id="R", command=["x"], cwd="/", name="n"), created=5.0)
    seen = Seen(exit=ExitRecord(code=0, t=9.0), proc=ProcRecord(shim_pid=1, started=6.0))
    summary = StoreSummary(episodes=3, steps=40, steps_per_sec=12.0, t_first=6.0, t_last=8.0)
    made = make_row(manifest, seen, judge(seen), summary)
    assert (made.state, made.started, made.ended) == (RunState.FINISHED, 6.0, 9.0)
    assert (made.episodes, made.steps, made.steps_per_sec) == (3, 40, 20.0)


@pytest.mark.parametrize(
    ("stored", "asked", "listed"),
    [([], "CartPole-v1", ["CartPole-v1"]), (["A-v0", "B-v0"], "CartPole-v1", ["A-v0", "B-v0"]), ([], "", [])],
)
def test_a_run_is_listed_with_its_environments_and_before_there_are_any_with_the_one_asked_for(
    stored: list[str], asked: str, listed: list[str]
) -> None:
    spec = RunSpec(run_id="R", command=["x"], cwd="/", job=Job(runner="r", env_id=asked))
    made = make_row(Manifest(spec=spec, created=5.0), Seen(), judge(Seen()), StoreSummary(env_ids=stored))
    assert made.env_ids == listed


def test_the_last_line_of_a_log_is_plain_text(tmp_path: Path) -> None:
    log = tmp_path / "stderr.log"
    assert last_line(log) == ""
    log.write_bytes(b"Traceback\n  x\nValueError: \x1b[31mbad\xff\n\n   \n")
    assert last_line(log) == "ValueError: \N{REPLACEMENT CHARACTER}[31mbad\N{REPLACEMENT CHARACTER}"
    log.write_text("y" * 10_000)
    assert last_line(log, longest=10) == "y" * 9 + "…"


def test_the_last_line_of_a_log_repeats_no_secret(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("train.py: error: unrecognized arguments: --api-key c4n4ry-Zq81\n")
    assert last_line(tmp_path / "log") == (f"train.py: error: unrecognized arguments: --api-key {MARK}")


def test_a_row_carries_every_number_of_the_roll_up() -> None:
    manifest = Manifest(spec=RunSpec(run_id="R", command=["x"], cwd="/"), created=5.0)
    numbers: dict[str, Any] = {one.name: float(k) if k % 2 else k for k, one in enumerate(NUMBERS, start=2)}
    summary = StoreSummary(**numbers, env_ids=["E-v0"])
    seen = Seen(exit=ExitRecord(code=0, t=9.0))
    made = make_row(manifest, seen, judge(seen), summary)
    expected = {**numbers, "steps_per_sec": None}  # it has ended, and nobody knows when it began
    assert {one.name: getattr(made, one.name) for one in NUMBERS} == expected
    assert made.env_ids == ["E-v0"]


@pytest.mark.parametrize(
    ("history", "paused"),
    [
        ([], 0.0),
        ([("running", 10.0), ("finished", 50.0)], 0.0),
        ([("running", 10.0), ("paused", 20.0), ("running", 25.0), ("paused", 40.0), ("running", 41.0)], 6.0),
        ([("running", 10.0), ("paused", 90.0)], 10.0),
        ([("paused", 1.0), ("starting", 8.0), ("running", 10.0)], 0.0),
        ([("running", 10.0), ("paused", 5.0), ("running", 500.0)], 90.0),
        ([("paused", 80.0), ("running", 20.0)], 0.0),
    ],
    ids=["none", "never", "twice", "still", "before it started", "over the end", "a clock set back"],
)
def test_time_in_which_a_run_was_paused_is_told_apart(
    history: list[tuple[str, float]], paused: float
) -> None:
    changes = [StateChange(RunState(state), "", t) for state, t in history]
    row = row_with(changes, RunState.FINISHED, exit=ExitRecord(code=0, t=100.0))
    assert (row.paused_secs, row.paused_since) == (paused, None)
    assert elapsed_secs(row, now=1e9) == 90.0 - paused


def test_the_clock_of_a_run_stands_while_it_is_paused_and_goes_on_afterwards() -> None:
    spoken = [("running", 10.0), ("paused", 20.0), ("running", 25.0), ("paused", 40.0)]
    changes = [StateChange(RunState(state), "", t) for state, t in spoken]
    row = row_with(changes, RunState.PAUSED)
    assert (row.paused_secs, row.paused_since) == (5.0, 40.0)
    assert elapsed_secs(row, now=41.0) == elapsed_secs(row, now=1000.0) == 25.0
    row = row_with([*changes, StateChange(RunState.RUNNING, "", 60.0)], RunState.RUNNING)
    assert (row.paused_secs, row.paused_since) == (25.0, None)
    assert elapsed_secs(row, now=61.0) == 26.0


def test_a_run_that_has_not_started_has_run_for_no_time_at_all() -> None:
    row = row_with([StateChange(RunState.PAUSED, "", 1.0)], RunState.PAUSED, started=None)
    assert (row.paused_secs, row.paused_since, elapsed_secs(row, now=5.0)) == (0.0, None, None)


def row_with(
    history: list[StateChange], state: RunState, *, started: float | None = 10.0, **seen: Any
) -> RunRow:
    manifest = Manifest(spec=RunSpec(run_id="R", command=["x"], cwd="/"), created=5.0, history=history)
    return make_row(manifest, Sight(started=started, **seen), Verdict(state, ""), StoreSummary())
