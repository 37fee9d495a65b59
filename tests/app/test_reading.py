"""Reading a run's store: waited for, and built anew when it is gone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from ulid import ULID

from mosaic.app import reading
from mosaic.errors import StoreError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import ExitRecord, ProcRecord, RunRow, RunSpec, RunState
from mosaic.rpc.launch import daemon_running
from mosaic.runs.files import write_json
from mosaic.runs.folder import create
from mosaic.runs.locks import Lock
from mosaic.store.registry import Entry, Registry
from tests.daemons import daemon, until

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder
    from tests.daemons import Daemon

__all__ = ["daemon"]


def make(root: DataRoot) -> RunFolder:
    return create(root, RunSpec(run_id=str(ULID()), command=["true"], cwd="/"), created=1.0)


def test_a_run_has_ended_when_no_process_holds_its_lock(home: Path) -> None:
    root = DataRoot(home)
    folder = make(root)
    write_json(folder.proc, ProcRecord(shim_pid=1, worker_pid=2, started=5.0))
    with Lock(folder.shim_lock):
        assert not reading.has_ended(root, folder.run_id)
    assert reading.has_ended(root, folder.run_id)


def test_only_the_registry_says_that_ingest_is_done_with_a_run(home: Path) -> None:
    root = DataRoot(home)
    done, busy, unknown = make(root), make(root), make(root)
    rows = [
        RunRow(
            run_id=folder.run_id, name="", state=RunState.FINISHED, reason="", created=1.0, command=["true"]
        )
        for folder in (done, busy)
    ]
    assert not reading.settled(root, done.run_id)
    registry = Registry(root)
    registry.put([Entry(rows[0], settled=True), Entry(rows[1], settled=False)])
    registry.close()
    assert [reading.settled(root, folder.run_id) for folder in (done, busy, unknown)] == [True, False, False]


def test_a_run_that_wrote_nothing_is_read_to_its_end_without_a_daemon(home: Path) -> None:
    root = DataRoot(home)
    folder = make(root)
    write_json(folder.exit, ExitRecord(code=0, t=2.0))
    assert reading.wait_ingested(root, folder.run_id)
    assert not daemon_running(root)


def test_an_answer_waits_for_all_of_an_ended_run_and_a_store_that_is_gone_is_built_anew_and_that_is_said(
    daemon: Daemon,
) -> None:
    lines = [json.dumps({"type": "metric", "name": "m", "value": n, "t": 1.0}) for n in range(50)]
    run = daemon.wait(daemon.submit(["printf", "%s\\n", *lines]).run_id)
    said: list[str] = []

    def answer() -> int:
        return reading.ask(daemon.root, run.run_id, lambda reader: reader.summary().metrics, say=said.append)

    assert answer() == 50
    assert said == []
    until(lambda: reading.settled(daemon.root, run.run_id))
    store = daemon.root.run(run.run_id).store
    for path in store.parent.glob(f"{store.name}*"):
        path.unlink()
    assert answer() == 50
    assert said == [f"run {run.run_id} has no store any more; building the store anew from the journal"]


def test_what_the_question_itself_does_wrong_is_not_hidden_by_a_rebuild(daemon: Daemon) -> None:
    run = daemon.wait(daemon.submit(["true"]).run_id)
    asked: list[int] = []

    def question(_: object) -> int:
        asked.append(1)
        raise StoreError("no such thing")

    with pytest.raises(StoreError, match="no such thing"):
        reading.ask(daemon.root, run.run_id, question)
    assert len(asked) == 2
