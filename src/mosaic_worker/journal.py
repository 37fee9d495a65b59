"""The journal writer: an append that survives kill -9, in about half a microsecond and without a lock.

A segment is a file, preallocated and mapped into memory; a line is copied in by one C call, so it is in the
page cache, readable by others, when `append` returns. Nothing is buffered, nothing is synced (the shim does
that), and nothing is ever dropped: on a full disk `append` waits, visibly, until there is room.
"""

from __future__ import annotations

import errno
import mmap
import operator
import os
import sys
import threading
import time
from collections import deque
from itertools import repeat, starmap
from typing import Any, Callable, Deque, Iterable, Iterator, List, Optional, Tuple

from mosaic_worker import report, stack
from mosaic_worker.segment import SMALLEST_SEGMENT, Segment

__all__ = ["NO_ROOM", "Channel", "Journal", "new_producer"]

_FIRST_SEGMENT = 256 * 1024
_SUFFIX_ROOM = 32  # ',"seq":' + 20 digits + '}\n'
_BLOCK = 1000
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


class _Next:
    """Stands at the end of the numbers made in advance and knows which comes next: no line can end in it."""

    __slots__ = ("seq",)

    def __init__(self, seq: int) -> None:
        self.seq = seq

    def __radd__(self, _: bytes) -> bytes:
        raise IndexError("the numbers made in advance are used up")


class Journal:
    """The segments of one producer.

    `append` is atomic against threads and signal handlers: numbering a line and copying it happen inside one
    C call (`next` of a chain of C iterators), so no other Python code runs in the middle. The chain, inside
    out: take the body; add the number that comes next; write; only then count. A write that finds no room has
    numbered nothing. Interpreters without that guarantee (no GIL, not CPython) take a lock.

    An interrupt may raise anywhere else. What it cuts short (a change of segment, the making of numbers, the
    end of a segment) is taken up again by the next call; no number is skipped or given twice by it.

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
        self._next: Optional[Segment] = None  # made, not yet in use
        self._old: List[Segment] = []  # to be finished
        self._index = 0
        self._greeting = b""
        self._rolling = False
        self._deferred: List[bytes] = []
        # How the next lines end (bytes), made in advance; last, as a `_Next`, what comes after them.
        self._numbers: Deque[Any] = deque([_Next(0 if self._hello is None else 1)])

    @property
    def next_seq(self) -> int:
        """The number of the next line."""
        head = self._numbers[0]
        return head.seq if isinstance(head, _Next) else int(head[7:-2])

    @property
    def _write(self) -> Write:
        segment = self._segment
        return _no_segment if segment is None else segment.write

    @property
    def open(self) -> bool:
        """Whether there is a segment that is not finished."""
        return self._segment is not None or bool(self._old)

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
            if self._rolling and stack.under_way(_MAKING_ROOM):
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
                self._make_numbers()
                self._finish_old()
            finally:
                self._rolling = False
            while self._deferred:
                self.append(self._deferred.pop(0))
        return True

    def _make_numbers(self) -> None:
        head = self._numbers[0]
        if not isinstance(head, _Next):
            return
        if len(self._numbers) == 1:
            start = head.seq
            endings: List[Any]
            if start < _BLOCK:
                endings = list(map(b',"seq":%d}\n'.__mod__, range(start, _BLOCK)))
            else:
                endings = list(map((b',"seq":%d' % (start // _BLOCK)).__add__, _LAST_DIGITS))
            endings.append(_Next(start + len(endings)))
            if self._segment is not None:
                self._segment.prefault()
            self._numbers.extend(endings)
        self._numbers.popleft()  # `head`: from here on the new ones count

    def _roll(self, needed: int) -> None:
        current = self._segment
        if current is not None:
            self._index = current.index + 1
            if self._next is current:  # interrupted when it had just been taken into use
                self._next = None
        if self._index == 0 and self._hello is not None and not self._greeting:
            self._greeting = self._hello(self.producer) + b',"seq":0}\n'
        greeting = self._greeting if self._index == 0 else b""
        new = self._new_segment(needed + len(greeting))
        if greeting:
            new.map.seek(0)
            new.map.write(greeting)
        if current is not None:
            current.seal()  # nothing lands in it once there are lines in the new one
            self._old.append(current)
        # SYNC: the new segment is there and locked before the old one is let go: we never look dead.
        self._segment = new
        self._next = None

    def _finish_old(self) -> None:
        while self._old and self._old[0] is not self._segment:
            self._old[0].finish()
            del self._old[0]

    def _new_segment(self, needed: int) -> Segment:
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        wanted = min(self._segment_bytes, _FIRST_SEGMENT << (2 * min(self._index, 16)))
        size = wanted
        waited_secs = 0.0
        while True:
            try:
                segment = self._next
                if segment is None:
                    path = os.path.join(self.folder, f"{self.producer}-{self._index:04d}.jsonl")
                    segment = self._next = Segment(path, self._index)
                segment.prepare(max(size, _pages(needed)))
                break
            except OSError as error:
                if error.errno not in _NO_SPACE:
                    self._discard_next()
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

    def _discard_next(self) -> None:
        segment = self._next
        if segment is not None:
            segment.discard()
            self._next = None

    def close(self) -> None:
        """Finish the segment. An append after this opens another one: nothing is refused."""
        with self._lock:
            segment = self._segment
            if segment is not None:
                self._index = segment.index + 1
                if self._next is segment:
                    self._next = None
                segment.seal()
                self._old.append(segment)
                self._segment = None
            self._discard_next()
            self._finish_old()

    def after_fork_in_child(self) -> None:
        """Become a new producer. The segments belong to the parent: let go of our copy of their locks."""
        theirs = [*self._old, *filter(None, (self._segment, self._next))]
        self.epoch += 1
        self.producer = new_producer()
        self._start_afresh()
        for segment in theirs:
            segment.abandon()


_MAKING_ROOM = {Journal._make_room.__code__}  # noqa: SLF001  (our own)


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


def _pages(size: int) -> int:
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
