"""Open-file-description locks on whole files: taken, and asked about without being taken.

The kernel frees such a lock when the last descriptor of that open file is gone, so a lock says who lives
without a pid or a clock. Python's fcntl module names neither the commands nor the record: both stand here,
once, for the worker, its shim and the workbench. Waits for nobody: a lock that is held is an error at once.
"""

from __future__ import annotations

import fcntl
import os
import struct

__all__ = ["held", "take"]

_F_OFD_GETLK, _F_OFD_SETLK = 36, 37  # Linux 3.15
_FLOCK = "hh4xqqi4x"  # struct flock of 64-bit Linux: type, whence, start, len, pid (0 for these locks)
_WHOLE_FILE = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


def take(fd: int) -> None:
    """Lock the file for this open file description. Again is fine.

    Raises:
        OSError: with EAGAIN or EACCES when another one holds it.
    """
    fcntl.fcntl(fd, _F_OFD_SETLK, _WHOLE_FILE)


def held(fd: int) -> bool:
    """Whether another open file description holds the file's lock. Needs a descriptor open for writing."""
    answer = fcntl.fcntl(fd, _F_OFD_GETLK, _WHOLE_FILE)
    return bool(struct.unpack(_FLOCK, answer)[0] != fcntl.F_UNLCK)
