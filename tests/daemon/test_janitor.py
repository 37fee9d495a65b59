from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.daemon import janitor
from mosaic.daemon.janitor import Reserve, bin_run, empty_bin, free_mib, still_low
from mosaic.errors import DataRootError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec
from mosaic.runs import folder as runs
from tests.daemon.keeping import RUN_ID

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("was_low", "free", "low"),
    [(False, 1024, False), (False, 1023, True), (True, 1024, True), (True, 1126, True), (True, 1127, False)],
)
def test_a_low_disk_stays_low_until_there_is_a_tenth_more(was_low: bool, free: int, low: bool) -> None:
    assert still_low(was_low=was_low, free_mib=free, reserve_mib=1024) is low


@given(st.lists(st.integers(0, 3000)), st.integers(0, 2000))
def test_the_disk_never_flaps_within_the_band(measured: list[int], reserve: int) -> None:
    low = False
    for free in measured:
        before, low = low, still_low(was_low=low, free_mib=free, reserve_mib=reserve)
        if reserve <= free < reserve * 1.1:
            assert low is before


def test_the_reason_names_the_figures(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(janitor, "free_mib", lambda _: 512)
    reserve = Reserve(DataRoot(home), reserve_mib=1024)
    assert reserve.look()
    assert reserve.reason == "disk low: 512 MiB free, reserve 1024 MiB"
    monkeypatch.setattr(janitor, "free_mib", lambda _: 4096)
    assert not reserve.look()
    assert reserve.reason == ""


def test_free_space_is_what_the_file_system_says(home: Path) -> None:
    info = os.statvfs(home)
    assert 0 <= free_mib(home) <= info.f_blocks * info.f_frsize >> 20


def test_what_only_root_may_fill_is_not_counted_as_free(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = SimpleNamespace(f_bavail=300, f_bfree=900, f_blocks=1000, f_frsize=1 << 20, f_bsize=1 << 12)
    monkeypatch.setattr(os, "statvfs", lambda _: info)
    assert free_mib(home) == 300


def test_a_binned_run_is_out_of_sight_at_once_and_gone_after_emptying(home: Path, tmp_path: Path) -> None:
    root = DataRoot(home)
    folder = runs.create(root, RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    precious = tmp_path / "precious"
    precious.mkdir()
    (folder.journal / "link").symlink_to(precious)
    place = bin_run(folder)
    (root.runs / ".trash-link").symlink_to(precious)
    assert not folder.path.exists()
    assert place.is_dir()
    empty_bin(root)
    assert list(root.runs.iterdir()) == []
    assert precious.is_dir()
    with pytest.raises(DataRootError, match="cannot delete"):
        bin_run(folder)


def test_a_run_is_deleted_whatever_lies_in_it_and_nothing_else_is(home: Path, tmp_path: Path) -> None:
    root = DataRoot(home)
    folder = runs.create(root, RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o500)
    (precious / "kept").write_text("kept")
    (folder.path / "out").symlink_to(precious)
    (folder.path / "loop").symlink_to("loop")
    os.mkfifo(folder.path / "pipe")
    closed = folder.path / "closed"
    (closed / "in").mkdir(parents=True)
    (closed / "in" / "file").write_text("gone")
    (closed / "in").chmod(0)
    closed.chmod(0)
    fd = os.open(folder.path, os.O_RDONLY)
    for _ in range(3000):  # deeper than any stack, and than any path may be long
        os.mkdir("d" * 100, dir_fd=fd)
        deeper = os.open("d" * 100, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = deeper
    os.close(fd)
    bin_run(folder)
    empty_bin(root)
    assert list(root.runs.iterdir()) == []
    assert (precious / "kept").read_text() == "kept"
    assert precious.stat().st_mode & 0o777 == 0o500


def test_what_a_killed_deletion_left_is_removed_at_the_next_start(home: Path) -> None:
    root = DataRoot(home)
    folder = runs.create(root, RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    place = bin_run(folder)
    again = runs.create(root, RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    assert bin_run(again) != place
    empty_bin(root)
    assert list(root.runs.iterdir()) == []


def test_a_disk_that_comes_near_the_reserve_is_said_before_it_is_low(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve = Reserve(DataRoot(home), reserve_mib=100)
    found = []
    for free in (401, 399, 99):
        monkeypatch.setattr(janitor, "free_mib", lambda _, free=free: free)
        found.append((reserve.look(), reserve.near))
    assert found == [(False, False), (False, True), (True, True)]
