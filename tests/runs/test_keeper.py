"""A shim that lives and whose lock was replaced is known to live; nothing else is."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mosaic.protocol.runs import ProcRecord
from mosaic.runs.keeper import replaced_lock

BOOT_ID = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
TICKS = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
ME: dict[str, Any] = {"shim_pid": os.getpid(), "boot_id": BOOT_ID, "shim_start_ticks": TICKS}


def asked(folder: Path, proc: ProcRecord) -> bool:
    fd = os.open(folder, os.O_RDONLY)
    try:
        return replaced_lock(proc, fd)
    finally:
        os.close(fd)


@pytest.mark.parametrize("left", ["another file", "nothing"])
def test_another_file_in_the_place_of_a_living_shims_lock_is_noticed(tmp_path: Path, left: str) -> None:
    lock = tmp_path / "shim.lock"
    lock.touch()
    proc = ProcRecord(**ME, lock_inode=lock.stat().st_ino)
    assert not asked(tmp_path, proc)
    lock.rename(tmp_path / "aside")
    if left == "another file":
        lock.touch()
    assert asked(tmp_path, proc)


@pytest.mark.parametrize(
    "changed", [{"boot_id": "another"}, {"shim_start_ticks": TICKS + 1}, {"shim_pid": 1 << 22}]
)
def test_a_record_of_another_process_or_start_says_nothing(tmp_path: Path, changed: dict[str, Any]) -> None:
    assert not asked(tmp_path, ProcRecord(**{**ME, **changed}, lock_inode=1))


def test_a_record_of_an_earlier_version_says_nothing(tmp_path: Path) -> None:
    assert not asked(tmp_path, ProcRecord(shim_pid=os.getpid(), boot_id=BOOT_ID))


def test_a_shim_that_is_dead_and_not_collected_does_not_live(tmp_path: Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    stat = Path(f"/proc/{child.pid}/stat")
    ticks = int(stat.read_text().rpartition(")")[2].split()[19])
    proc: dict[str, Any] = {"shim_pid": child.pid, "boot_id": BOOT_ID, "lock_inode": 1}
    assert asked(tmp_path, ProcRecord(**proc, shim_start_ticks=ticks))
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays to be collected
    try:
        assert stat.read_text().rpartition(")")[2].split()[0] == "Z"
        assert not asked(tmp_path, ProcRecord(**proc, shim_start_ticks=ticks))
        assert not asked(tmp_path, ProcRecord(**proc, shim_start_ticks=None))
    finally:
        child.wait()
