"""The kernel's word that a file was touched or came into a folder: nobody has to look again and again.

Linux's inotify by way of the C library. It only hints: a notice may come late, twice or, where the kernel has
none to give, never, so whoever uses this also looks by itself now and then.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CREATED", "GONE", "RENAMED", "TOUCHED", "WRITTEN", "Notices"]

WRITTEN = 0x2  # IN_MODIFY
TOUCHED = 0x4  # IN_ATTRIB
RENAMED = 0x80  # IN_MOVED_TO: something got a name in the folder that is watched
CREATED = 0x100  # IN_CREATE
GONE = 0x8000  # IN_IGNORED: the watch ended with what it watched

_DONT_FOLLOW = 0x2000000
_HEAD = struct.Struct("iIII")
_READ_BYTES = 1 << 16


class Notices:
    """A set of watches behind one descriptor, `fd`, that becomes readable with their notices.

    Raises:
        OSError: the kernel has none to give (too many in use, or it is not Linux).
    """

    def __init__(self) -> None:
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            self._add, self._remove = libc.inotify_add_watch, libc.inotify_rm_watch
            self.fd = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        except AttributeError as error:
            raise OSError("this system has no inotify") from error
        if self.fd < 0:
            raise _failed("inotify_init1")

    def watch(self, path: Path, kinds: int) -> int:
        """Watch a file or a folder, never through a link; the number its notices carry.

        Raises:
            OSError: it is not there, or the kernel allows no more watches.
        """
        number = int(self._add(self.fd, os.fsencode(path), ctypes.c_uint32(kinds | _DONT_FOLLOW)))
        if number < 0:
            raise _failed(f"inotify_add_watch {path}")
        return number

    def ignore(self, number: int) -> None:
        """End a watch. One that has ended already is fine."""
        self._remove(self.fd, number)

    def take(self) -> list[tuple[int, int, str]]:
        """What was noticed since: the watch, the kinds, and of a folder the name in it."""
        try:
            data = os.read(self.fd, _READ_BYTES)
        except BlockingIOError:
            return []
        found, at = [], 0
        while at < len(data):
            number, kinds, _, length = _HEAD.unpack_from(data, at)
            at += _HEAD.size + length
            found.append((number, kinds, os.fsdecode(data[at - length : at].rstrip(b"\0"))))
        return found

    def close(self) -> None:
        """End all watches. Twice is fine."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def _failed(call: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{call}: {os.strerror(number)}")
