"""Following a run's output files: new bytes as they come, and one status line below them on a terminal.

The files are the worker's own, so following needs no daemon and survives one that dies.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import IO, TYPE_CHECKING

from mosaic.text import fit, visible
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["StatusLine", "Tail", "last_lines", "status_line"]

_CHUNK = 1 << 18
_CLEAR = "\r\x1b[K"


class Tail:
    """The bytes of a growing file from an offset on. The file may not exist yet."""

    def __init__(self, path: Path, *, offset: int = 0, chunk: int = _CHUNK) -> None:
        self._path = path
        self._chunk = chunk
        self._file: IO[bytes] | None = None
        self.offset = offset

    def read(self) -> bytes:
        """The next bytes, at most one chunk; empty when there is nothing new."""
        if self._file is None:
            try:
                fd = open_regular(self._path)
            except FileNotFoundError:
                return b""
            self._file = os.fdopen(fd, "rb", buffering=0)
            self._file.seek(self.offset)
        data = self._file.read(self._chunk)
        self.offset += len(data)
        return data

    def close(self) -> None:
        """Let the file go. Twice is fine."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Tail:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def last_lines(path: Path, lines: int, *, most_bytes: int = 1 << 20) -> tuple[bytes, int]:
    """The last lines of a file, and the offset after them; at most `most_bytes` are read."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            end = file.seek(0, os.SEEK_END)
            start = max(0, end - most_bytes)
            file.seek(start)
            data = file.read(end - start)
    except FileNotFoundError:
        return b"", 0
    parts = data.splitlines(keepends=True)
    return b"".join(parts[-lines:]) if lines else b"", start + len(data)


class StatusLine:
    """One line at the bottom of a terminal, out of the way whenever the worker writes.

    It is drawn only where a line begins, so it never lands in the middle of the worker's own progress bar.
    """

    def __init__(self, stream: IO[str], *, cells: int) -> None:
        self._stream = stream
        self._cells = cells
        self._drawn = False
        self._at_line_start = True

    def draw(self, text: str) -> None:
        """Show this text now."""
        if self._at_line_start:
            self._stream.write(f"{_CLEAR}{fit(visible(text), self._cells - 1)}")
            self._stream.flush()
            self._drawn = True

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._drawn = False

    def written(self, data: bytes) -> None:
        """The worker's bytes went to the same terminal."""
        if data:
            self._at_line_start = data.endswith(b"\n")

    def end_line(self) -> None:
        """Make sure that what comes next begins on a line of its own."""
        self.clear()
        if not self._at_line_start:
            self._stream.write("\n")
            self._stream.flush()
            self._at_line_start = True


def status_line() -> StatusLine | None:
    """A status line on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        return None
    return StatusLine(sys.stderr, cells=shutil.get_terminal_size().columns)
