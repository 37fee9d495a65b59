"""Keeps a run's logs within their quotas: the oldest bytes of stdout.log and stderr.log go back to the disk.

In place, by punching holes: offsets, the worker's open file and ingest's cursor stay what they are, and a
reader finds a gap of NULs (`mosaic.runs.output`). Renaming or cutting would need the worker's help, or copy
what is left again and again.

It refuses to free the first 64 KiB, where a program says what it is; what ingest has not read; and lines that
mean to be events, which are part of the record and bounded, as the journal is, by the disk reserve alone. A
byte of every dropped line stays before the next kept one, so that line goes on beginning where it begins.
"""

from __future__ import annotations

import ctypes
import errno
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mosaic.protocol.codec import MAX_LINE_BYTES
from mosaic.runs.output import PAGE_BYTES, over_gap
from mosaic.store.batch import event_like
from mosaic.store.intake import HEAD_BYTES, looks_like_event
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["BEGINNING_BYTES", "USUAL", "LogQuota", "Quotas", "free", "pages_between"]

BEGINNING_BYTES = 64 << 10
"""Of a log's beginning so much stays."""
_BLOCK_BYTES = 1 << 20
_QUARANTINED_BYTES = 64 << 20  # of a line that is too long, quarantine keeps so much
_PUNCH_HOLE, _KEEP_SIZE = 0x02, 0x01
_CANNOT = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM, errno.ENODEV)


@dataclass(frozen=True)
class Quotas:
    """How much of what a run prints is kept."""

    stdout_bytes: int = 256 << 20
    stderr_bytes: int = 256 << 20
    quarantine_bytes: int = 256 << 20


USUAL = Quotas()


class LogQuota:
    """The quota of one log.

    Args:
        path: the log.
        quota_bytes: how much of it is kept; when it has more, all but seven eighths of that is freed.
        has_events: lines that mean to be events are looked for, and kept.
    """

    def __init__(self, path: Path, quota_bytes: int, *, has_events: bool) -> None:
        self._path = path
        self._quota_bytes, self._has_events = quota_bytes, has_events
        self._forget(0)

    def plan(self, *, read_to: int | None = None) -> list[tuple[int, int]]:
        """The stretches that are to be freed now, from and to. `read_to`: how far ingest has read it.

        Raises:
            OSError: there is no such file, or it cannot be read.
        """
        seen = self._path.lstat()
        if seen.st_ino == self._inode and 0 <= seen.st_size - self._at <= self._quota_bytes:
            return []  # the log that we know, and short: asked at every turn, so a look must do
        fd = open_regular(self._path)
        try:
            info = os.fstat(fd)
            if info.st_ino != self._inode or info.st_size < self._at:
                self._forget(info.st_ino)
            # A file with another name elsewhere is not the worker's log alone: that other one is not ours.
            if info.st_size - self._at <= self._quota_bytes or info.st_nlink != 1:
                return []
            end = info.st_size - self._quota_bytes * 7 // 8
            return self._scan(fd, end if read_to is None else min(end, read_to))
        finally:
            os.close(fd)

    def end_of_gaps(self) -> int:
        """Where its last gap ends; 0 when it has none, or cannot be read."""
        try:
            fd = open_regular(self._path)
        except OSError:
            return 0
        try:
            end, size, found = 0, os.fstat(fd).st_size, 0
            while end < size:
                gap = os.lseek(fd, end, os.SEEK_HOLE)
                end = over_gap(fd, gap)
                found = end if gap < end < size else found
        except OSError:
            return 0  # the file system knows no gaps
        else:
            return found
        finally:
            os.close(fd)

    def _forget(self, inode: int) -> None:
        self._inode = inode
        self._at = 0  # looked at up to here
        self._from = 0  # freed, or kept, up to here
        self._in_line = False  # which stands in a line that is dropped, or kept already

    def _scan(self, fd: int, end: int) -> list[tuple[int, int]]:
        kept = list(self._kept(fd, end)) if self._has_events else []
        if not self._has_events:
            self._at = max(self._at, end)
        found = pages_between(kept, self._from, self._at)
        # The page that was half looked at goes with the next stretch, and leaves one gap, not many.
        self._from = max([self._from, *(stop for _, stop in kept[-1:]), *(last for _, last in found[-1:])])
        return found

    def _kept(self, fd: int, end: int) -> Iterator[tuple[int, int]]:
        """Go on to `end`, or to the last line that begins before it: the stretches that stay."""
        while self._at < end:
            data_at = min(over_gap(fd, self._at), end)
            if data_at > self._at:  # freed earlier: what follows is the rest of a dropped line
                self._at, self._in_line = data_at, True
                continue
            block = os.pread(fd, min(_BLOCK_BYTES, end - self._at), self._at)
            if self._in_line:
                newline = block.find(b"\n")
                self._in_line = newline < 0
                self._at += newline + 1 or len(block)
                continue
            whole = block.rfind(b"\n") + 1
            if not whole:
                block = os.pread(fd, min(MAX_LINE_BYTES + 1, end - self._at), self._at)
                whole = block.find(b"\n") + 1
            for start, line in event_like(block[:whole]):
                yield self._at + start, self._at + start + len(line) + 1
            if not whole and len(block) <= MAX_LINE_BYTES:
                return  # it is not whole yet
            if not whole:  # longer than any event: of one that means to be one, quarantine has the beginning
                if looks_like_event(block[:HEAD_BYTES]):
                    yield self._at, self._at + _QUARANTINED_BYTES
                self._in_line = True
            self._at += whole or len(block)


def pages_between(kept: list[tuple[int, int]], begin: int, end: int) -> list[tuple[int, int]]:
    """The whole pages of a stretch outside of what is kept, all but the last byte before each. Pure."""
    found = []
    at = max(begin, BEGINNING_BYTES)
    for start, stop in [*kept, (end, end)]:
        first = -(-at // PAGE_BYTES) * PAGE_BYTES
        last = (start - 1) // PAGE_BYTES * PAGE_BYTES
        if first < last:
            found.append((first, last))
        at = max(at, stop)
    return found


def free(path: Path, stretches: list[tuple[int, int]]) -> bool:
    """Give the stretches back to the disk; False where the file system cannot.

    Raises:
        OSError: the file is gone, or the disk refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    fd = open_regular(path, os.O_RDWR)
    try:
        for first, last in stretches:
            mode, offset, length = (
                _PUNCH_HOLE | _KEEP_SIZE,
                ctypes.c_int64(first),
                ctypes.c_int64(last - first),
            )
            if libc.fallocate(fd, mode, offset, length) == 0:
                continue
            number = ctypes.get_errno()
            if number in _CANNOT:
                return False
            raise OSError(number, os.strerror(number), os.fspath(path))
    finally:
        os.close(fd)
    return True
