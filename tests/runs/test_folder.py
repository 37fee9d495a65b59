from __future__ import annotations

import errno
import json
import os
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

    def ends_now(_: str, *, dir_fd: int) -> bool:
        """The record is written, then the lock is let go: all between two instructions of the look."""
        write_json(folder.exit, ExitRecord(code=0))
        return False

    monkeypatch.setattr(runs, "held", ends_now)
    assert runs.observe(folder).exit == ExitRecord(code=0)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("exit.json", b'{"code": 0', "truncated"),
        ("exit.json", b"", "truncated"),
        ("exit.json", b"\xff", "malformed"),
        ("exit.json", b'{"error": "\xff"}', "UTF-8"),
        ("exit.json", b'{"code": 2147483648}', "<= 2147483647"),
        ("exit.json", b'{"signal": 0}', ">= 1"),
        ("exit.json", b'{"code": 0, "t": NaN}', "malformed"),
        ("proc.json", b'{"shim_pid": 99999999999999999999}', "<= 4194304"),
        ("control.json", b'{"int_secs": 1e300}', "<= 31536000"),
        ("control.json", b'{"want": "dance"}', "dance"),
        ("control.json", b'{"reason": ' + b"[" * 100_000, ""),
    ],
)
def test_a_record_that_cannot_be_read_or_is_out_of_range_is_told_of_with_the_reason(
    home: Path, name: str, content: bytes, why: str
) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    (folder.path / name).write_bytes(content)
    seen = runs.observe(folder)
    assert (seen.exit, seen.proc, seen.control) == (None, None, None)
    assert list(seen.bad) == [name]
    assert seen.bad[name].startswith(f"{name} cannot be read: ")
    assert why in seen.bad[name]


@pytest.mark.parametrize("t", ["-1", "1e300", "253402300800.0"])
def test_a_time_that_no_calendar_shows_is_unknown_and_changes_nothing_else(home: Path, t: str) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    folder.exit.write_text(f'{{"code": 3, "t": {t}}}')
    folder.proc.write_text(f'{{"shim_pid": 7, "started": {t}}}')
    manifest = folder.manifest.read_text()
    folder.manifest.write_text(manifest.replace('"created": 0.0', f'"created": {t}'))
    seen = runs.observe(folder)
    assert not seen.bad
    assert seen.exit is not None
    assert seen.proc is not None
    assert (seen.exit.code, seen.exit.t, seen.proc.started) == (3, 0.0, 0.0)
    assert folder.manifest.read_text() != manifest
    assert runs.read_manifest(folder).created == 0.0


@pytest.mark.parametrize("name", ["shim.lock", "tree.lock", "exit.json", "proc.json", "control.json"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "loop", "huge"])
def test_whatever_lies_in_the_place_of_a_record_or_lock_a_look_tells_of_it_and_waits_for_nobody(
    home: Path, name: str, kind: str
) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    outside = home / "outside.json"
    outside.write_text('{"code": 0, "shim_pid": 7}')
    _put(folder.path / name, kind, outside)
    seen = runs.observe(folder)
    if kind == "huge" and name.endswith(".lock"):
        assert seen == Seen()  # what a lock's file holds means nothing
    else:
        assert list(seen.bad) == [name]
        assert (seen.exit, seen.proc, seen.shim_alive, seen.tree_alive) == (None, None, False, False)


def _put(path: Path, kind: str, outside: Path) -> None:
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(1 << 40)
    else:
        path.symlink_to(path if kind == "loop" else outside)


def test_a_folder_that_is_a_link_or_no_folder_is_told_of_and_not_followed(home: Path) -> None:
    real = runs.create(DataRoot(home), spec(), created=0.0)
    elsewhere = home / "elsewhere"
    real.path.rename(elsewhere)
    real.path.symlink_to(elsewhere)
    assert "a link where a folder should be" in runs.observe(real).bad["folder"]
    with pytest.raises(StoreError, match="a link where a folder should be"):
        runs.find_manifest(real)
    with pytest.raises(OSError, match="a link where a folder should be"):
        runs.write_control(real, Control(want=Want.STOP))
    assert not (elsewhere / "control.json").exists()
    real.path.unlink()
    real.path.write_text("a file")
    assert "a file where a folder should be" in runs.observe(real).bad["folder"]


def test_a_journal_that_leads_out_of_the_folder_is_told_of(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    folder.journal.rmdir()
    folder.journal.symlink_to(home)
    assert "a link where a folder should be" in runs.observe(folder).bad["journal"]


def test_an_order_replaces_whatever_lies_in_its_place(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    folder.control.mkdir()
    (folder.control / "kept").write_text("somebody's")
    runs.write_control(folder, Control(want=Want.STOP))
    assert runs.read_control(folder) == Control(want=Want.STOP)
    assert [path.read_text() for path in folder.path.glob(".control.json.aside-*/kept")] == ["somebody's"]


def test_a_manifest_of_another_run_is_refused(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    other = folder.path.with_name("0" * 26)
    folder.path.rename(other)
    with pytest.raises(StoreError, match=f"of another run: '{RUN_ID}'"):
        runs.find_manifest(DataRoot(home).run("0" * 26))


def test_a_lock_that_cannot_be_asked_never_settles_a_run(home: Path) -> None:
    folder = runs.create(DataRoot(home), spec(), created=0.0)
    write_json(folder.exit, ExitRecord(code=0))
    assert runs.ended(folder)
    folder.tree_lock.mkdir()
    assert not runs.ended(folder)


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
