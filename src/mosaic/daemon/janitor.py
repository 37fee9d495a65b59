"""Keeps room on the disk: says when runs must pause for it and when they may go on; clears deleted runs away.

Deletes only folders bearing our own mark, and never follows a link out of one.
"""

# ruff: noqa: PTH208, PTH101
# (by descriptor, not by path: a path could lead through a link)

from __future__ import annotations

import logging
import os
import stat
from typing import TYPE_CHECKING

from mosaic.errors import DataRootError
from mosaic.text import os_words
from mosaic_worker.common.opening import open_folder

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import DataRoot, RunFolder

__all__ = ["Reserve", "bin_run", "empty_bin", "free_mib", "still_low"]

_log = logging.getLogger(__name__)

_MIB = 1 << 20
_TRASH = ".trash-"
_NEAR = 4  # times the reserve
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
        self.near = False
        """Whether the disk comes near the reserve, so that it is to be looked at often."""
        self.reason = ""

    def look(self) -> bool:
        """Measure; whether runs must stand still now."""
        free = free_mib(self._root.path)
        self.low = still_low(was_low=self.low, free_mib=free, reserve_mib=self._reserve_mib)
        self.near = self.low or free < self._reserve_mib * _NEAR
        self.reason = f"disk low: {free} MiB free, reserve {self._reserve_mib} MiB" if self.low else ""
        return self.low


def bin_run(folder: RunFolder) -> Path:
    """Take a run out of sight in one step; `empty_bin` removes it, after a crash too.

    Raises:
        DataRootError: the file system refused.
    """
    binned = folder.path.with_name(f"{_TRASH}{folder.run_id}-{os.urandom(4).hex()}")
    try:
        folder.path.rename(binned)
    except OSError as error:
        raise DataRootError(f"cannot delete {folder.path}: {os_words(error, named=True)}") from error
    return binned


def empty_bin(root: DataRoot) -> None:
    """Remove what was binned, links as links, whatever it holds. What refuses is logged and tried again."""
    try:
        runs = open_folder(root.runs)
    except OSError:
        return
    try:
        for name in sorted(os.listdir(runs)):
            if name.startswith(_TRASH):
                try:
                    _remove(runs, name)
                except OSError as error:
                    _log.warning("cannot remove %s yet: %s", root.runs / name, os_words(error, named=True))
    finally:
        os.close(runs)


def _remove(home: int, name: str) -> None:
    """Remove what has that name in the folder `home`, and all that is in it.

    Flat, not recursive: each folder below is first moved up beside the binned one, under a name of the bin.
    So no depth uses up the stack, the descriptors or the length of a path, and a crash leaves only what the
    next round finds.
    """
    waiting = [name]
    while waiting:
        binned = waiting.pop()
        if not stat.S_ISDIR(os.lstat(binned, dir_fd=home).st_mode):
            os.unlink(binned, dir_fd=home)
            continue
        _open_up(binned, dir_fd=home)
        folder = open_folder(binned, dir_fd=home)
        try:
            for entry in os.listdir(folder):
                if stat.S_ISDIR(os.lstat(entry, dir_fd=folder).st_mode):
                    _open_up(entry, dir_fd=folder)  # a folder without its write bit cannot be moved
                    moved = f"{_TRASH}{os.urandom(8).hex()}"
                    os.rename(entry, moved, src_dir_fd=folder, dst_dir_fd=home)
                    waiting.append(moved)
                else:
                    os.unlink(entry, dir_fd=folder)
        finally:
            os.close(folder)
        os.rmdir(binned, dir_fd=home)


def _open_up(name: str, *, dir_fd: int) -> None:
    """Give ourselves back a folder that was closed to us. By a descriptor: never what a link leads to."""
    fd = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=dir_fd)
    try:
        if stat.S_IMODE(os.fstat(fd).st_mode) & 0o700 != 0o700:
            os.chmod(f"/proc/self/fd/{fd}", 0o700)
    finally:
        os.close(fd)
