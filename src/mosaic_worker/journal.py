"""The journal writer: an append that survives kill -9, in about half a microsecond and without a lock.

A segment is a file, preallocated and mapped into memory; a line is copied in by one C call, so it is in the
page cache, readable by others, when `append` returns. Nothing is buffered, nothing is synced (the shim does
that), and nothing is ever dropped: on a full disk `append` waits, visibly, until there is room.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import operator
import os
import struct
import sys
import threading
import time
from collections import deque
from itertools import repeat, starmap
from typing import Any, Callable, Deque, Iterable, Iterator, List, Optional, Tuple

from mosaic_worker import report

__all__ = ["NO_ROOM", "Channel", "Journal", "new_producer"]

SMALLEST_SEGMENT = 64 * 1024
_FIRST_SEGMENT = 256 * 1024
_F_OFD_SETLK = 37
_WHOLE_FILE = struct.pack("hh4xqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)  # struct flock
_SUFFIX_ROOM = 32  # ',"seq":' + 20 digits + '}\n'
_BLOCK = 1000
_MADV_POPULATE_WRITE = 23  # Linux 5.14
_LEAST_AHEAD, _MOST_AHEAD = 64 * 1024, 1 << 20
_LAST_DIGITS = [b"%03d}\n" % number for number in range(_BLOCK)]
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)

_ATOMIC = sys.implementation.name == "cpython" and getattr(sys, "_is_gil_enabled", lambda: True)()
_GC_IN_ALLOCATIONS = sys.version_info < (3, 12)

NO_ROOM = (ValueError, IndexError)
"""What appending raises when the segment is full or finished, or the numbers made in advance are used up."""

Write = Callable[[bytes], int]
Appending = Iterator[Tuple[int, bytes]]


def new_producer() -> str:
    """A name no other process has or will have: the pid for people, 32 random bits for truth."""
    return f"p{os.getpid()}x{os.urandom(4).hex()}"


class Segment:
    """One file of the journal, locked for as long as we write to it."""

    def __init__(self, path: str, size: int) -> None:
        """Create and map the file.

        Raises:
            OSError: no space, or the folder is gone; nothing is left behind then.
        """
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        self.fd = os.open(path, flags, 0o600)
        try:
            # SYNC: locked before it has a size, so no reader ever takes a live segment for a finished one.
            fcntl.fcntl(self.fd, _F_OFD_SETLK, _WHOLE_FILE)
            _reserve(self.fd, size)
            self.map = mmap.mmap(self.fd, size)
            self._prefaulted_at = 0
        except BaseException:
            os.unlink(path)
            os.close(self.fd)
            raise

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

    def finish(self) -> None:
        """Cut the file to its true length and let go of it. No append can land after this."""
        end = self.map.tell()
        self.map.seek(0, os.SEEK_END)  # from here on every append finds no room here
        size = len(self.map)
        while end < size and self.map[end]:  # another thread came between those two lines
            end = self.map.find(b"\n", end) + 1
        self.abandon(end)

    def abandon(self, end: Optional[int] = None) -> None:
        """Close, and cut only where an end is given: in a forked child the file is the parent's."""
        self.map.close()
        try:
            if end is not None:
                os.ftruncate(self.fd, end)
        finally:
            # SYNC: the lock goes last: who sees it free sees the true length.
            os.close(self.fd)


class Journal:
    """The segments of one producer.

    `append` is atomic against threads and signal handlers: numbering a line and copying it happen inside one
    C call (`next` of a chain of C iterators), so no other Python code runs in the middle. The chain, inside
    out: take the body; add the number that comes next; write; only then count. A write that finds no room has
    numbered nothing. Interpreters without that guarantee (no GIL, not CPython) take a lock.

    Bounds: a segment holds `segment_bytes` (smaller at first, and when the disk is nearly full; larger
    for one line that needs it); a full disk is retried every `retry_secs` for ever.
    """

    def __init__(
        self,
        folder: str,
        *,
        segment_bytes: int = 8 << 20,
        retry_secs: float = 0.2,
        hello: Optional[Callable[[str], bytes]] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.folder = folder
        self.producer = new_producer()
        self.epoch = 0
        """Grows when a fork makes this another producer."""
        self._segment_bytes = max(segment_bytes, SMALLEST_SEGMENT)
        self._retry_secs = retry_secs
        self._hello = hello
        self._sleep = sleep
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._lock = threading.RLock()
        self._segment: Optional[Segment] = None
        self._index = 0
        self._rolling = False
        self._deferred: List[bytes] = []
        self._numbers: Deque[bytes] = deque()  # how the next lines end, made in advance
        self._numbered = 0  # the first number that is not among them yet
        self._write: Write = _no_segment

    @property
    def next_seq(self) -> int:
        """The number of the next line; as many are written."""
        return self._numbered - len(self._numbers)

    @property
    def open(self) -> bool:
        """Whether a segment is open now."""
        return self._segment is not None

    def append(self, body: bytes) -> int:
        """Write one line. `body` is a JSON object without its closing brace. Returns its seq, acknowledged.

        A signal handler that interrupts a change of segment gets -1: its line follows when that is done.
        """
        while True:
            write = self._write
            try:
                return _seq(next(self._chain((body,), write)))
            except NO_ROOM as error:
                if not self._make_room(write, len(body) + _SUFFIX_ROOM, error):
                    self._deferred.append(body)
                    return -1

    def appending(self, bodies: Iterable[bytes]) -> Appending:
        """An iterator whose every `next` takes one of `bodies` and writes it. Gives its length and ending.

        It raises one of `NO_ROOM` when there is no room, or no number, for the body it took.
        """
        return self._chain(bodies, self._write)

    def _chain(self, bodies: Iterable[bytes], write: Write) -> Appending:
        if _GC_IN_ALLOCATIONS:
            # Passing an argument to mmap.write takes a tuple, and making one may run the collector, hence
            # finalizers, between reading the number and using it. This call (it returns its argument) makes
            # and frees such a tuple beforehand, so that the later one comes from the interpreter's free list.
            bodies = map(b"".__add__, bodies)
        # Formatting a number here would not do: int to decimal looks for signals, and runs their handlers.
        numbered = map(operator.add, bodies, map(operator.getitem, repeat(self._numbers), repeat(0)))
        counted = starmap(self._numbers.popleft, repeat(()))
        chain = zip(map(write, numbered), counted)  # noqa: B905  (3.8 has no strict; both are endless)
        return chain if _ATOMIC else _Locked(chain, self._lock)

    def _make_room(self, used: Write, needed: int, error: Exception) -> bool:
        """Go to a new segment, or make more numbers. False: that is going on, and we interrupted it.

        Raises:
            ValueError: the error it was called for, when lack of room is not the reason.
        """
        with self._lock:
            if self._rolling:
                return False
            if self._write is not used:
                return True  # another thread was here since `used` was in force
            self._rolling = True
            try:
                if self._segment is None:
                    self._roll(needed)
                elif isinstance(error, ValueError):
                    if self._segment.room() >= needed:
                        raise error
                    self._roll(needed)
                if not self._numbers:
                    self._make_numbers()
            finally:
                self._rolling = False
            while self._deferred:
                self.append(self._deferred.pop(0))
        return True

    def _make_numbers(self) -> None:
        start = self._numbered
        if start < _BLOCK:
            endings = [b',"seq":%d}\n' % number for number in range(start, _BLOCK)]
        else:
            endings = list(map((b',"seq":%d' % (start // _BLOCK)).__add__, _LAST_DIGITS))
        if self._segment is not None:
            self._segment.prefault()
        self._numbered = start + len(endings)
        self._numbers.extend(endings)

    def _roll(self, needed: int) -> None:
        old = self._segment
        hello = self._hello(self.producer) if self._hello is not None and self._index == 0 else b""
        new = self._new_segment(needed + (len(hello) + _SUFFIX_ROOM if hello else 0))
        self._index += 1
        if hello:
            new.map.write(hello + b',"seq":0}\n')
            self._numbered = 1
        # SYNC: the new segment is there and locked before the old one is let go: we never look dead.
        self._segment, self._write = new, new.map.write
        if old is not None:
            old.finish()

    def _new_segment(self, needed: int) -> Segment:
        path = os.path.join(self.folder, f"{self.producer}-{self._index:04d}.jsonl")
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        wanted = min(self._segment_bytes, _FIRST_SEGMENT << (2 * min(self._index, 16)))
        size = wanted
        waited_secs = 0.0
        while True:
            try:
                segment = Segment(path, max(size, _pages(needed)))
                break
            except OSError as error:
                if error.errno not in _NO_SPACE:
                    raise
            if size > SMALLEST_SEGMENT:
                size = max(SMALLEST_SEGMENT, size // 2)
                continue
            report.once(
                f"no space left for the journal in {self.folder}: the script waits until there is some"
            )
            self._sleep(self._retry_secs)
            waited_secs += self._retry_secs
            size = wanted
        if waited_secs:  # on the same full disk the first word may have found no room itself
            report.once(f"space for the journal again after {waited_secs:.0f} s: the script goes on")
        return segment

    def close(self) -> None:
        """Finish the segment. An append after this opens another one: nothing is refused."""
        with self._lock:
            segment, self._segment, self._write = self._segment, None, _no_segment
            if segment is not None:
                segment.finish()

    def after_fork_in_child(self) -> None:
        """Become a new producer. The segment belongs to the parent: let go of our copy of its lock."""
        segment = self._segment
        self.epoch += 1
        self.producer = new_producer()
        self._start_afresh()
        if segment is not None:
            segment.abandon()


class Channel:
    """A fast road into the journal for one caller: the iterator chain is built once and not per line.

    `push` a body, then `next(it)`. Last in, first out: a signal handler that uses the same channel
    between the two takes its own line. One of `NO_ROOM` means: call `again`.
    """

    __slots__ = ("_bodies", "_journal", "epoch", "it", "push")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._bodies: List[bytes] = []
        self.push = self._bodies.append
        self.join()

    def join(self) -> None:
        """Follow the journal to its present segment."""
        self.epoch = self._journal.epoch
        self.it = self._journal.appending(starmap(self._bodies.pop, repeat(())))

    def append(self, body: bytes) -> int:
        """Write one line: the readable form of what hot code does inline."""
        self.push(body)
        try:
            return _seq(next(self.it))
        except NO_ROOM:
            return self.again(body)

    def again(self, body: bytes) -> int:
        """Write a line for which there was no room, and follow the journal to where it went."""
        seq = self._journal.append(body)
        self.join()
        return seq


class _Locked:
    """The same chain where one C call is not atomic."""

    def __init__(self, chain: Appending, lock: Any) -> None:
        self._chain = chain
        self._lock = lock

    def __iter__(self) -> Appending:
        return self

    def __next__(self) -> Tuple[int, bytes]:
        with self._lock:
            return next(self._chain)


def _seq(written: Tuple[int, bytes]) -> int:
    return int(written[1][7:-2])  # the digits of ',"seq":17}\n'


def _no_segment(_: bytes) -> int:
    raise ValueError("no segment yet")


def _reserve(fd: int, size: int) -> None:
    """Make the disk promise the room now: without it, a full disk would be a SIGBUS later."""
    try:
        os.posix_fallocate(fd, 0, size)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise
        for start in range(0, size, SMALLEST_SEGMENT):  # a file system that cannot promise: fill it
            os.pwrite(fd, bytes(min(SMALLEST_SEGMENT, size - start)), start)


def _pages(size: int) -> int:
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
