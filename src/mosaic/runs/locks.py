"""Liveness by lock: the kernel frees a lock when its last holder dies, so no pid or clock is needed.

Open-file-description locks, because they can be *asked about* without being taken: a probe never makes a real
locker fail. A forked child shares its parent's lock; an exec'd one does only if it inherits the descriptor.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Lock", "held"]

_F_OFD_GETLK, _F_OFD_SETLK = 36, 37
_FLOCK = "hh4xqqi4x"  # struct flock: type, whence, start, len, pid
_WHOLE_FILE = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


class Lock:
    """One exclusive lock, held from construction to `close`.

    Raises:
        BlockingIOError: somebody else holds it.
    """

    def __init__(self, path: Path, *, inheritable: bool = False) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self.fd = os.open(path, flags, 0o600)
        try:
            fcntl.fcntl(self.fd, _F_OFD_SETLK, _WHOLE_FILE)
        except OSError as error:
            os.close(self.fd)
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise BlockingIOError(error.errno, "lock is held", str(path)) from error
            raise
        os.set_inheritable(self.fd, inheritable)

    def close(self) -> None:
        """Let go. Twice is fine."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def held(path: Path) -> bool:
    """Whether somebody holds the lock of that file now. Takes nothing, creates nothing."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        answer = fcntl.fcntl(fd, _F_OFD_GETLK, _WHOLE_FILE)
    finally:
        os.close(fd)
    return bool(struct.unpack(_FLOCK, answer)[0] != fcntl.F_UNLCK)
