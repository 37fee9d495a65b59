"""Keeps room on the disk: says when runs must pause for it and when they may go on; clears deleted runs away.

Deletes only folders bearing our own mark, and never follows a link out of one.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from mosaic.errors import DataRootError

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import DataRoot, RunFolder

__all__ = ["Reserve", "bin_run", "empty_bin", "free_mib", "still_low"]

_MIB = 1 << 20
_TRASH = ".trash-"
_AGAIN = 1.1  # so much more than the reserve must be free before paused runs go on: no flapping


def still_low(*, was_low: bool, free_mib: int, reserve_mib: int) -> bool:
    """Whether the disk counts as low, with hysteresis. Pure."""
    return free_mib < (reserve_mib * _AGAIN if was_low else reserve_mib)


def free_mib(path: Path) -> int:
    """What an ordinary user may still write on that file system, in MiB."""
    info = os.statvfs(path)
    return info.f_bavail * info.f_frsize // _MIB


class Reserve:
    """Watches the free space of the data root."""

    def __init__(self, root: DataRoot, *, reserve_mib: int) -> None:
        self._root, self._reserve_mib = root, reserve_mib
        self.low = False
        self.reason = ""

    def look(self) -> bool:
        """Measure; whether runs must stand still now."""
        free = free_mib(self._root.path)
        self.low = still_low(was_low=self.low, free_mib=free, reserve_mib=self._reserve_mib)
        self.reason = f"disk low: {free} MiB free, reserve {self._reserve_mib} MiB" if self.low else ""
        return self.low


def bin_run(folder: RunFolder) -> Path:
    """Take a run out of sight in one step; `empty_bin` removes it, after a crash too.

    Raises:
        DataRootError: the file system refused.
    """
    binned = folder.path.with_name(_TRASH + folder.run_id)
    try:
        folder.path.rename(binned)
    except OSError as error:
        raise DataRootError(f"cannot delete {folder.path}: {error.strerror}") from error
    return binned


def empty_bin(root: DataRoot) -> None:
    """Remove what was binned, links as links."""
    for binned in root.runs.glob(_TRASH + "*"):
        if binned.is_symlink():
            binned.unlink(missing_ok=True)
        else:
            shutil.rmtree(binned, ignore_errors=True)
