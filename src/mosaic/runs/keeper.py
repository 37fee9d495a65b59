"""Whether a run's shim lives although nobody holds the file called shim.lock: somebody replaced that file.

A lock tells of the file that is locked, not of its name. A shim whose lock was taken away looks gone, and its
run lost, while it trains on. So it notes which file it holds, and its own pid and start; both have to speak
for it. Says nothing of runs of another start of the machine, and nothing where /proc does not.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mosaic.protocol.runs import ProcRecord

__all__ = ["replaced_lock"]

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def replaced_lock(proc: ProcRecord, folder_fd: int) -> bool:
    """Whether the shim of that record lives and holds another file than the shim.lock of that folder."""
    if proc.lock_inode is None or proc.shim_start_ticks is None:
        return False  # of an earlier version
    try:
        if os.lstat("shim.lock", dir_fd=folder_fd).st_ino == proc.lock_inode:
            return False
    except FileNotFoundError:
        pass
    try:
        return (
            proc.boot_id == _BOOT_ID.read_text().strip()
            and _start_ticks(proc.shim_pid) == proc.shim_start_ticks
        )
    except (OSError, ValueError, IndexError):
        return False


def _start_ticks(pid: int) -> int | None:
    """When a process was started; None of a dead one that nobody has collected."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return None if fields[0] in b"ZX" else int(fields[19])
