from __future__ import annotations

import errno
import json
import stat
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import StoreError, UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import Control, ExitRecord, ProcRecord, RunSpec, Want
from mosaic.runs import folder as runs
from mosaic.runs.files import write_json
from mosaic.runs.lifecycle import Seen
from mosaic.runs.locks import Lock

if TYPE_CHECKING:
    from pathlib import Path

RUN_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def spec(run_id: str = RUN_ID) -> RunSpec:
    return RunSpec(run_id=run_id, command=["true"], cwd="/", name="first")


def test_a_new_run_is_a_private_folder_with_a_manifest_and_an_empty_journal(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=12.5)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.journal.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.manifest.stat().st_mode) == 0o600
    manifest = runs.read_manifest(folder)
    assert (manifest.spec, manifest.created) == (spec(), 12.5)


def test_creating_a_run_again_changes_nothing(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=1.0)
    before = folder.manifest.read_bytes()
    assert runs.create(DataRoot(home), spec(), created=2.0) == folder
    assert folder.manifest.read_bytes() == before


@pytest.mark.parametrize(
    "run_id", ["", "../../etc", "01ARZ3NDEKTSV4RRFFQ69G5FA", "01arz3ndektsv4rrffq69g5fav"]
)
def test_a_run_id_that_is_no_ulid_is_refused(home: Path, run_id: str) -> None:
    with pytest.raises(UsageError, match="ULID"):
        runs.create(DataRoot(home), spec(run_id), created=0.0)


def test_an_empty_command_is_refused(home: Path) -> None:
    with pytest.raises(UsageError, match="empty"):
        runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=[], cwd="/"), created=0.0)


def test_a_look_reports_records_and_locks(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    assert runs.observe(folder) == Seen()
    runs.write_control(folder, Control(want=Want.PAUSE, by_reserve=True))
    write_json(folder.proc, ProcRecord(shim_pid=7))
    write_json(folder.exit, ExitRecord(code=4))
    with Lock(folder.shim_lock), Lock(folder.tree_lock):
        seen = runs.observe(folder)
    assert (seen.shim_alive, seen.tree_alive) == (True, True)
    assert seen.control == Control(want=Want.PAUSE, by_reserve=True)
    assert seen.proc == ProcRecord(shim_pid=7)
    assert seen.exit == ExitRecord(code=4)
    assert runs.observe(folder).shim_alive is False


def test_a_run_has_ended_once_nothing_of_it_is_left_and_nothing_will_come(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    assert not runs.ended(folder)  # its keeper is still to come
    with Lock(folder.shim_lock):
        assert not runs.ended(folder)
        with Lock(folder.tree_lock):
            assert not runs.ended(folder)
    assert runs.ended(folder)  # lost
    with Lock(folder.tree_lock):
        assert not runs.ended(folder)  # orphaned
        write_json(folder.exit, ExitRecord(code=0))
        assert not runs.ended(folder)  # what the worker left behind lives
    with Lock(folder.shim_lock):
        assert runs.ended(folder)  # only the keeper is still there


def test_a_folder_that_nobody_keeps_has_ended_without_an_exit_record(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    runs.mark_unkept(folder)
    assert runs.ended(folder)
    assert stat.S_IMODE(folder.shim_lock.stat().st_mode) == 0o600


def test_a_shim_that_ends_during_the_look_has_left_its_exit_record(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)

    def ends_now(_: Path) -> bool:
        """The record is written, then the lock is let go: all between two instructions of the look."""
        write_json(folder.exit, ExitRecord(code=0))
        return False

    monkeypatch.setattr(runs, "held", ends_now)
    assert runs.observe(folder).exit == ExitRecord(code=0)


def test_a_damaged_record_counts_as_missing(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    folder.exit.write_bytes(b'{"code": 0')
    folder.proc.write_bytes(b"\xff")
    assert runs.observe(folder) == Seen()


def test_a_missing_or_damaged_manifest_is_an_error_that_names_the_file(home: Path) -> None:
    folder = DataRoot(home).run(RUN_ID)
    with pytest.raises(StoreError, match="no manifest"):
        runs.read_manifest(folder)
    runs.create(DataRoot(home), spec(), created=0.0)
    folder.manifest.write_bytes(b"[]")
    with pytest.raises(StoreError, match=r"manifest\.json cannot be read"):
        runs.read_manifest(folder)


def test_on_a_full_disk_the_order_is_written_in_place(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    runs.write_control(folder, Control(want=Want.PAUSE, reason="a reason longer than the next order's"))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(runs, "write_json", full)
    runs.write_control(folder, Control(want=Want.STOP))
    assert runs.read_control(folder) == Control(want=Want.STOP)
    assert json.loads(folder.control.read_bytes()) == {"want": "stop"}
