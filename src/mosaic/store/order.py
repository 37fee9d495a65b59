"""journal/episodes.order: which episode has which index. Ingest alone writes it; a rebuild obeys it.

One JSON string per line; the line's number is the index. Lines are appended before the commit that shows the
index to readers, so an index once seen stays, whatever crashes and whatever becomes of the store.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LONGEST_BYTES", "OrderFile"]

_PIECE = 1 << 20
LONGEST_BYTES = 32 << 20
"""Of a line: ids come from lines of 16 MiB at most, and may double when they are written as JSON."""


class OrderFile:
    """The file from `known_lines` on; what lies beyond was promised and may not be in the store yet."""

    def __init__(self, path: Path, *, known_lines: int, known_bytes: int) -> None:
        self._fd = open_regular(path, os.O_RDWR | os.O_CREAT)
        self._promised: dict[str, int] = {}
        self._fresh: list[bytes] = []
        self._known = known_lines, known_bytes
        self.lines = known_lines
        self.bytes = known_bytes
        self.short = os.fstat(self._fd).st_size < known_bytes
        if not self.short:
            self._read_promises()

    def _read_promises(self) -> None:
        rest, at = b"", self.bytes
        while part := os.pread(self._fd, _PIECE, at):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                self._read_promise(line)
            if lines:
                self.bytes = at + part.rindex(b"\n") + 1
            at += len(part)
            if len(rest) > LONGEST_BYTES:
                break  # never written by ingest: what comes is not ours, and may have no end
        if self.bytes < at:
            os.ftruncate(self._fd, self.bytes)

    def _read_promise(self, line: bytes) -> None:
        try:
            episode_id = msgspec.json.decode(line, type=str | None)
        except msgspec.DecodeError:
            episode_id = None  # a damaged line still counts: its index stays taken
        if episode_id is not None:
            self._promised.setdefault(episode_id, self.lines)
        self.lines += 1

    def kept(self, indexes: set[int]) -> None:
        """These promises were kept: the store has their episodes."""
        self._promised = {name: index for name, index in self._promised.items() if index not in indexes}

    @property
    def known(self) -> tuple[int, int]:
        """Lines and bytes the next one to open the file need not read: all, once every promise is kept."""
        return self._known if self._promised else (self.lines, self.bytes)

    def index_of(self, episode_id: str) -> int:
        """The index of an episode the store does not have yet."""
        promised = self._promised.pop(episode_id, None)
        if promised is not None:
            return promised
        self._fresh.append(msgspec.json.encode(episode_id))
        self.lines += 1
        return self.lines - 1

    def rewrite(self, ids: list[str | None]) -> None:
        """Write the whole file anew, after it was lost or cut short."""
        data = b"".join(msgspec.json.encode(episode_id) + b"\n" for episode_id in ids)
        os.ftruncate(self._fd, 0)
        self._write(data, 0)
        self.lines, self.bytes, self.short = len(ids), len(data), False
        self._known = self.lines, self.bytes

    def flush(self) -> None:
        """Append what was assigned since the last flush."""
        # SYNC: before the commit: a reader may learn an index only once a rebuild would give the same one.
        if self._fresh:
            data = b"\n".join(self._fresh) + b"\n"
            self._write(data, self.bytes)
            self.bytes += len(data)
            self._fresh.clear()

    def _write(self, data: bytes, at: int) -> None:
        view = memoryview(data)
        while view:
            written = os.pwrite(self._fd, view, at)
            view, at = view[written:], at + written

    def close(self) -> None:
        """Let go. Twice is fine."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
