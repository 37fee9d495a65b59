"""Journal segments written by the daemon itself, for workers that publish over gRPC.

Same bytes as a worker's own segments: JSON lines, a lock on the open segment, names without holes. A batch is
one write, so what is acknowledged lies in the page cache and survives kill -9 of the daemon. Never syncs: the
run's shim does that for every segment of the run.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from mosaic.runs.files import make_private
from mosaic.runs.locks import Lock
from mosaic.store.blocks import SealedFile
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SegmentAppender", "find_last_seq"]


class _Numbered(msgspec.Struct):
    seq: int


_numbered = msgspec.json.Decoder(_Numbered)


class SegmentAppender:
    """Appends lines to the newest segment of one producer; begins a new one every `segment_bytes`.

    Starts after the segments that exist: what an earlier daemon wrote is never written to again.
    """

    def __init__(self, journal: Path, producer: str, *, segment_bytes: int) -> None:
        self._journal = journal
        self._producer = producer
        self._segment_bytes = segment_bytes
        self._next_number = 1 + max((n for n, _ in _segments(journal, producer)), default=-1)
        self._lock: Lock | None = None
        self._length = 0

    def append(self, lines: bytes) -> int:
        """Append whole lines; how many of them are in the journal now: all, or fewer on a full disk.

        Raises:
            OSError: not even one line could be written.
        """
        if self._lock is None or self._length >= self._segment_bytes:
            self._begin_segment()
        assert self._lock is not None  # noqa: S101  (_begin_segment sets it)
        written = 0
        try:
            while written < len(lines):
                written += os.pwrite(self._lock.fd, memoryview(lines)[written:], self._length + written)
        except OSError:
            # Whole lines may have been ingested already: only the torn tail is taken back.
            written = lines.rfind(b"\n", 0, written) + 1
            os.ftruncate(self._lock.fd, self._length + written)
            if written == 0:
                raise
        self._length += written
        return lines.count(b"\n", 0, written)

    def close(self) -> None:
        """Let go of the segment: it is final now. Twice is fine."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _begin_segment(self) -> None:
        make_private(self._journal)
        self.close()
        name = f"{self._producer}-{self._next_number:04d}.jsonl"
        hidden = self._journal / f".{name}.tmp"
        # SYNC: a segment nobody holds is final for ingest, so it gets its name only after it got its lock.
        lock = Lock(hidden)
        hidden.rename(self._journal / name)
        self._lock = lock
        self._length = 0
        self._next_number += 1


def find_last_seq(journal: Path, producer: str) -> int | None:
    """The number of the last whole line a producer wrote, or None when it wrote none.

    Every line is one number further than the line before it; a line that shows no number of its own (it was
    no event) is counted from the last one that does.
    """
    try:
        return _find_last_seq(journal, producer)
    except FileNotFoundError:
        return find_last_seq(journal, producer)  # ingest sealed a segment under our eyes; each but once


def _find_last_seq(journal: Path, producer: str) -> int | None:
    uncounted = 0
    for _, path in sorted(_segments(journal, producer), reverse=True):
        for line in reversed(_whole_lines(path)):
            seq = _seq_of(line)
            if seq is not None:
                return seq + uncounted
            uncounted += 1
    return None


def _seq_of(line: bytes) -> int | None:
    try:
        return _numbered.decode(line).seq
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _segments(journal: Path, producer: str) -> list[tuple[int, Path]]:
    found: dict[int, Path] = {}
    for path in journal.glob(f"{producer}-*.jsonl*"):
        number = path.name[len(producer) + 1 :].split(".")[0]
        if path.name.endswith((".jsonl", ".jsonl.zst")) and number.isdigit():
            found[int(number)] = path
    return list(found.items())


def _whole_lines(path: Path) -> list[bytes]:
    with os.fdopen(open_regular(path), "rb") as file:
        if path.suffix == ".zst":
            sealed = SealedFile(file.fileno())
            data = sealed.read(0, sealed.length)
        else:
            data = file.read()
    return data.split(b"\n")[:-1]
