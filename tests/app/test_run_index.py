"""The runs of a data root, told from their folders alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from ulid import ULID

from mosaic.app import run_index
from mosaic.errors import DataRootError, RunNotFoundError
from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol.runs import Control, ExitRecord, ProcRecord, RunRow, RunSpec, RunState, Want
from mosaic.runs.files import write_json
from mosaic.runs.folder import create, write_control
from mosaic.runs.locks import Lock
from mosaic.store.registry import Entry, Registry


@pytest.fixture
def root(home: Path) -> DataRoot:
    """An empty data root."""
    return DataRoot(home)


def _make(root: DataRoot, name: str = "", *, created: float = 1.0) -> RunFolder:
    return create(root, RunSpec(run_id=str(ULID()), command=["true"], cwd="/", name=name), created=created)


def test_a_data_root_that_does_not_exist_has_no_runs(tmp_path: Path) -> None:
    assert run_index.rows(run_index.checked(DataRoot(tmp_path / "none"))) == []


def test_an_open_data_root_is_refused(root: DataRoot) -> None:
    root.path.chmod(0o750)
    with pytest.raises(DataRootError, match="open to other accounts"):
        run_index.checked(root)


def test_a_live_run_is_judged_by_its_lock_without_a_daemon(root: DataRoot) -> None:
    folder = _make(root)
    write_json(folder.proc, ProcRecord(shim_pid=1, worker_pid=2, started=5.0))
    write_control(folder, Control(want=Want.RUN))
    with Lock(folder.shim_lock):
        row = run_index.find(root, "last")
        assert (row.state, row.started, row.ended) == (RunState.RUNNING, 5.0, None)
    assert run_index.find(root, "last").state is RunState.LOST


def test_what_the_registry_says_of_a_live_run_is_not_believed(root: DataRoot) -> None:
    folder = _make(root)
    write_json(folder.exit, ExitRecord(code=3, t=9.0))
    folder.stderr.write_bytes(b"first\nlast words\n")
    stale = RunRow(
        run_id=folder.run_id, name="", state=RunState.RUNNING, reason="", created=1.0, command=["true"]
    )
    registry = Registry(root)
    registry.put([Entry(stale, settled=False)])
    registry.close()
    (row,) = run_index.rows(root)
    assert (row.state, row.reason, row.ended) == (RunState.FAILED, "exit code 3: last words", 9.0)


def test_a_settled_row_is_taken_as_it_is(root: DataRoot) -> None:
    folder = _make(root)
    final = RunRow(
        run_id=folder.run_id, name="", state=RunState.FINISHED, reason="", created=1.0, command=[], steps=7
    )
    registry = Registry(root)
    registry.put([Entry(final, settled=True)])
    registry.close()
    assert run_index.rows(root) == [final]


def test_runs_that_are_in_no_registry_are_listed_newest_first(root: DataRoot) -> None:
    old, new = _make(root, created=1.0), _make(root, created=2.0)
    assert [row.run_id for row in run_index.rows(root)] == [new.run_id, old.run_id]
    root.registry.write_bytes(b"not a database")
    assert len(run_index.rows(root)) == 2


def test_folders_that_are_no_runs_are_passed_over(root: DataRoot) -> None:
    _make(root)
    (root.runs / "notes").mkdir()
    (root.runs / str(ULID())).mkdir()
    assert len(run_index.rows(root)) == 1


def test_a_run_that_was_listed_and_then_deleted_is_gone(root: DataRoot) -> None:
    folder = _make(root)
    folder.manifest.unlink()
    with pytest.raises(RunNotFoundError, match="gone"):
        run_index.row_of(root, folder.run_id)


def test_runs_are_found_by_id_prefix_and_name(root: DataRoot) -> None:
    folder = _make(root, "first")
    for text in (folder.run_id, folder.run_id.lower(), folder.run_id[:12], "first", "last"):
        assert run_index.find(root, text).run_id == folder.run_id


@pytest.mark.parametrize("settled", [True, False])
def test_a_folder_that_cannot_be_read_is_one_row_with_the_reason_and_hides_no_other(
    root: DataRoot, settled: bool
) -> None:
    good, bad = _make(root, created=1.0), _make(root, "bad", created=2.0)
    for folder in (good, bad):
        write_json(folder.exit, ExitRecord(code=0, t=3.0))
    if settled:
        registry = Registry(root)
        registry.put([Entry(row, settled=True) for row in run_index.rows(root)])
        registry.close()
    bad.exit.unlink()
    bad.exit.mkdir()
    rows = {row.run_id: row for row in run_index.rows(root)}
    assert rows[good.run_id].state is RunState.FINISHED
    assert (rows[bad.run_id].state, rows[bad.run_id].name) == (RunState.UNREADABLE, "bad")
    assert rows[bad.run_id].reason == "exit.json cannot be read: a folder where a file should be"
    assert run_index.find(root, "last").run_id == good.run_id
    bad.manifest.write_text("{")
    assert "manifest.json cannot be read" in run_index.find(root, bad.run_id).reason


def test_a_run_that_is_a_link_or_no_folder_is_unreadable(root: DataRoot, tmp_path: Path) -> None:
    (_make(root).path).rename(tmp_path / "elsewhere")
    linked, piped = str(ULID()), str(ULID())
    (root.runs / linked).symlink_to(tmp_path / "elsewhere")
    os.mkfifo(root.runs / piped)
    rows = {row.run_id: row for row in run_index.rows(root)}
    assert {row.state for row in rows.values()} == {RunState.UNREADABLE}
    assert "a link where a folder should be" in rows[linked].reason
    assert "a named pipe where a folder should be" in rows[piped].reason
    assert abs(rows[linked].created - time.time()) < 3600  # an id is made of its time


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_pipe_in_the_place_of_a_store_is_not_waited_for(root: DataRoot, suffix: str) -> None:
    folder = _make(root)
    write_json(folder.exit, ExitRecord(code=0, t=3.0))
    os.mkfifo(f"{folder.store}{suffix}")
    assert run_index.find(root, "last").state is RunState.FINISHED
