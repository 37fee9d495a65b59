"""Where a run or a dataset is put together before it gets its name, and how what a killed writer left goes.

A staging folder lies where the finished thing will lie, so that it can be renamed into place, and whoever
fills it has locked it. The kernel frees the lock with its holder: a folder with something in it that nobody
has locked was left behind.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic_worker.common.opening import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["staging", "sweep"]

_PREFIX = ".unpack-"
_EMPTY_SECS = 60.0  # an empty one may be about to be locked by whoever made it


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """A private folder inside another that is gone afterwards, whatever happens."""
    path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
    fd = open_folder(path)
    try:
        # SYNC: locked before anything is in it: a folder with content and without a lock has no owner.
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(fd)


def sweep(folder: Path) -> list[Path]:
    """Remove the staging folders inside another that nobody fills any more; which ones those were."""
    swept = []
    for path in sorted(folder.glob(f"{_PREFIX}*")):
        try:
            fd = open_folder(path)
        except OSError:
            continue  # gone, or no folder: none of ours
        try:
            if _is_left(fd):
                shutil.rmtree(path, ignore_errors=True)
                swept.append(path)
        finally:
            os.close(fd)
    return swept


def _is_left(fd: int) -> bool:
    info = os.fstat(fd)
    if info.st_uid != os.getuid() or not stat.S_ISDIR(info.st_mode):
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return bool(os.listdir(fd)) or time.time() - info.st_mtime > _EMPTY_SECS
