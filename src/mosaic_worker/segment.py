"""One file of a journal: made, mapped, cut to its true length, let go of. Numbers nothing.

An interrupt (Ctrl-C) may fall between any two operations here. So every step can be taken again: an
unfinished `prepare` or `finish` is simply called once more, and the descriptor belongs to an object that
closes it once, whatever happens.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import mmap
import os
from typing import Callable, Optional

from mosaic_worker.common import ofd

__all__ = ["SMALLEST_SEGMENT", "Segment"]

SMALLEST_SEGMENT = 64 * 1024
_MADV_POPULATE_WRITE = 23  # Linux 5.14
_LEAST_AHEAD, _MOST_AHEAD = 64 * 1024, 1 << 20
_private = functools.partial(os.open, mode=0o600)


class Segment:
    """A file of the journal, locked from before it has a size until it has its true one.

    Args:
        path: a name that is ours alone; an empty file of that name is one we were interrupted in making.
        index: its number among the segments of its producer.
    """

    map: mmap.mmap
    write: Callable[[bytes], int]

    def __init__(self, path: str, index: int = 0) -> None:
        self.path, self.index = path, index
        self._prefaulted_at = 0
        self._end = -1
        self._file = io.FileIO.__new__(io.FileIO)

    def prepare(self, size: int) -> None:
        """Create and lock the file, reserve that much room, map it.

        Raises:
            OSError: no space, or the folder is gone. If the file is there, it is empty, and locked.
        """
        if self._file.closed:
            # Opened into the object that will close it: no descriptor is ever without an owner.
            self._file.__init__(self.path, "wb+", opener=_private)  # type: ignore[misc]
        fd = self._file.fileno()
        # SYNC: locked before it has a size, so no reader ever takes a live segment for a finished one.
        ofd.take(fd)
        try:
            _reserve(fd, size)
            self.map = mmap.mmap(fd, size)
        except OSError:
            os.ftruncate(fd, 0)
            raise
        self.write = self.map.write

    def discard(self) -> None:
        """Take the file away: nothing of worth was written to it."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self._file.close()

    def room(self) -> int:
        """How many bytes still fit."""
        return len(self.map) - self.map.tell()

    def prefault(self) -> None:
        """Have the kernel make the next pages ready in one go: a fault per page costs twice as much.

        As much as was used since the last call, within bounds: a slow writer keeps few pages dirty.
        """
        here = self.map.tell()
        length = max(_LEAST_AHEAD, min(here - self._prefaulted_at, _MOST_AHEAD))
        self._prefaulted_at = here
        start = here - here % mmap.PAGESIZE
        try:
            self.map.madvise(_MADV_POPULATE_WRITE, start, min(length, len(self.map) - start))
        except (OSError, ValueError):
            return  # an older kernel: the pages come one by one

    def seal(self) -> None:
        """Let no append land here any more: each finds no room."""
        if self._end < 0:
            self._end = self.map.tell()
        self.map.seek(0, os.SEEK_END)

    def finish(self) -> None:
        """Cut the file to its true length and let go of it. Twice is fine."""
        if not self.map.closed:
            self.seal()
            end, size = self._end, len(self.map)
            while end < size and self.map[end]:  # another thread came while it was sealed
                end = self.map.find(b"\n", end) + 1
            self._end = end
        self.abandon(self._end)

    def abandon(self, end: Optional[int] = None) -> None:
        """Close, and cut only where an end is given: in a forked child the file is the parent's."""
        if "map" in vars(self):
            self.map.close()
        if end is not None and not self._file.closed:
            try:
                os.ftruncate(self._file.fileno(), end)
            except OSError:
                self._file.close()
                raise
        # SYNC: the lock goes last: who sees it free sees the true length.
        self._file.close()


def _reserve(fd: int, size: int) -> None:
    """Make the disk promise the room now: without it, a full disk would be a SIGBUS later."""
    try:
        os.posix_fallocate(fd, 0, size)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise
        for start in range(0, size, SMALLEST_SEGMENT):  # a file system that cannot promise: fill it
            os.pwrite(fd, bytes(min(SMALLEST_SEGMENT, size - start)), start)
