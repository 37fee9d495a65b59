"""Liveness by lock: the kernel frees a lock when its last holder dies, so no pid or clock is needed.

Open-file-description locks, because they can be *asked about* without being taken: a probe never makes a real
locker fail. A forked child shares its parent's lock; an exec'd one does only if it inherits the descriptor.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from mosaic_worker.common import ofd
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Lock", "held", "same_file"]


class Lock:
    """One exclusive lock, held from construction to `close`.

    Raises:
        BlockingIOError: somebody else holds it.
        OSError: no regular file is there, or it cannot be opened.
    """

    def __init__(self, path: Path, *, inheritable: bool = False) -> None:
        self._path = path
        self.fd = open_regular(path, os.O_RDWR | os.O_CREAT)
        try:
            ofd.take(self.fd)
        except OSError as error:
            os.close(self.fd)
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise BlockingIOError(error.errno, "lock is held", str(path)) from error
            raise
        os.set_inheritable(self.fd, inheritable)

    def in_force(self) -> bool:
        """Whether the file we hold is still the one of that name: if not, somebody else may hold another."""
        return self.fd >= 0 and same_file(self._path, os.fstat(self.fd))

    def close(self) -> None:
        """Let go. Twice is fine."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def same_file(path: Path, known: os.stat_result) -> bool:
    """Whether what has this name now is the file that was known by it, not another in its place."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (known.st_dev, known.st_ino)


def held(path: Path | str, *, dir_fd: int | None = None) -> bool:
    """Whether somebody holds the lock of that file now. Takes nothing, creates nothing, needs no writing.

    Raises:
        OSError: no regular file is there, or it cannot be opened: nobody can say.
    """
    try:
        fd = open_regular(path, os.O_RDONLY, dir_fd=dir_fd)
    except FileNotFoundError:
        return False
    try:
        return ofd.held(fd)
    finally:
        os.close(fd)
