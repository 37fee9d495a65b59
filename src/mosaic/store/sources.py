"""The sources of a run's events: journal segments, plain or sealed, and stdout.log. Reads, never writes.

Offsets count uncompressed bytes, so a cursor holds across sealing. What a reader hands out is whole lines;
what is not finished stays where it is until its writer finishes it or dies.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import zstandard

from mosaic.errors import StoreError
from mosaic.runs import locks

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = ["STDOUT", "Source", "SourceReader", "list_sources"]

STDOUT = "stdout.log"
_SEGMENT = re.compile(r"([^-/]+)-([0-9]{4,})\.jsonl(\.zst)?")
_NOT_NUL = re.compile(rb"[^\0]")
_SCAN_BYTES = 1 << 20


@dataclass(frozen=True)
class Source:
    """One file of events. `name` stays the same when it is sealed."""

    name: str
    producer: str
    number: int
    path: Path
    sealed: bool

    def final(self, *, over: bool) -> bool:
        """Whether nobody writes to it any more. `over`: no process of the run is left, nor will one come."""
        if self.sealed:
            return True
        # SYNC: a segment has its name before its lock, its lock before its size: an empty one says nothing.
        if self.name == STDOUT or self.path.stat().st_size == 0:
            return over
        return not locks.held(self.path)


def list_sources(folder: RunFolder) -> list[Source]:
    """All sources of a run, each producer's segments in order, stdout.log last."""
    found: dict[str, Source] = {}
    if folder.journal.is_dir():
        for entry in sorted(folder.journal.iterdir()):
            match = _SEGMENT.fullmatch(entry.name)
            if match is None:
                continue
            name = entry.name.removesuffix(".zst")
            if name in found and match[3] is None:
                continue
            # A sealed twin is complete: it got its name only after it was synced.
            found[name] = Source(name, match[1], int(match[2]), entry, match[3] is not None)
    ordered = sorted(found.values(), key=lambda source: (source.producer, source.number))
    if folder.stdout.exists():
        ordered.append(Source(STDOUT, STDOUT, 0, folder.stdout, sealed=False))
    return ordered


class SourceReader:
    """Bytes of one source by offset. Sealed ones are cheap to read forwards, dear to read backwards."""

    def __init__(self, source: Source) -> None:
        self.source = source
        fd = os.open(source.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        self._file = os.fdopen(fd, "rb", buffering=0)
        self._stream: zstandard.ZstdDecompressionReader | None = None
        self._start = 0  # offset of the first byte of `_window`, the part unpacked last
        self._window = b""

    def close(self) -> None:
        """Let go of the file. Twice is fine."""
        self._file.close()

    def __enter__(self) -> SourceReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes at `offset`; fewer only at the end.

        Raises:
            StoreError: a sealed segment is damaged.
        """
        if not self.source.sealed:
            return self._pread(offset, size)
        try:
            return self._read_sealed(offset, size)
        except zstandard.ZstdError as error:
            raise StoreError(
                f"{self.source.path} is damaged ({error}). Restore it from a copy: it is the run's record."
            ) from error

    def _pread(self, offset: int, size: int) -> bytes:
        parts = []
        while size > 0:
            part = os.pread(self._file.fileno(), size, offset)
            if not part:
                break
            parts.append(part)
            offset += len(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _read_sealed(self, offset: int, size: int) -> bytes:
        if self._stream is None or offset < self._start:
            self._file.seek(0)
            self._stream = zstandard.ZstdDecompressor().stream_reader(self._file, closefd=False)
            self._start, self._window = 0, b""
        while self._start + len(self._window) < offset + size:
            part = self._stream.read(_SCAN_BYTES)
            if not part:
                break
            passed = min(max(0, offset - self._start), len(self._window))
            self._window = self._window[passed:] + part
            self._start += passed
        at = offset - self._start
        return self._window[at : at + size]

    def size(self) -> int:
        """Bytes up to the end, or to the NULs that fill up a segment."""
        if self.source.sealed:
            at = 0
            while part := self.read(at, _SCAN_BYTES):
                at += len(part)
            return at
        at = os.fstat(self._file.fileno()).st_size
        if self.source.name == STDOUT:
            return at
        while at > 0:
            start = max(0, at - _SCAN_BYTES)
            kept = self._pread(start, at - start).rstrip(b"\0")
            if kept:
                return start + len(kept)
            at = start
        return 0

    def next_data(self, offset: int) -> int | None:
        """Where the first byte that is not NUL stands at or after `offset`; None when there is none."""
        while True:
            part = self.read(offset, _SCAN_BYTES)
            if not part:
                return None
            match = _NOT_NUL.search(part)
            if match:
                return offset + match.start()
            offset += len(part)

    def line_end(self, offset: int, *, nul_ends: bool) -> tuple[int, bool]:
        """Where the line at `offset` stops, and whether by a newline rather than a NUL or the end."""
        while True:
            part = self.read(offset, _SCAN_BYTES)
            if not part:
                return offset, False
            newline, nul = part.find(b"\n"), part.find(b"\0") if nul_ends else -1
            if newline >= 0 and (nul < 0 or newline < nul):
                return offset + newline, True
            if nul >= 0:
                return offset + nul, False
            offset += len(part)
