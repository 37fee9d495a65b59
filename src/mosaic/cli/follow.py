"""Following a run's output files: new bytes as they come, and one status line below them on a terminal.

The files are the worker's own, so following needs no daemon and survives one that dies. The kernel says when
there is something new (`Arrivals`): nobody looks again and again.
"""

from __future__ import annotations

import os
import select
import shutil
import sys
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from mosaic.runs import inotify
from mosaic.runs.output import read_piece, read_span
from mosaic.text import fit, visible
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = ["Arrivals", "StatusLine", "Tail", "last_lines", "status_line"]

_CHUNK = 1 << 18
_CLEAR = "\r\x1b[K"


class Arrivals:
    """Waits until a run writes output or a record of its own, for instance how it ended. A context manager.

    Args:
        folder: The run's.
        gather_secs: After a notice, more of the same is gathered for so long: output comes line by line.
    """

    def __init__(self, folder: RunFolder, *, gather_secs: float) -> None:
        self._gather_secs = gather_secs
        self._logs = [folder.stdout, folder.stderr]  # not watched yet
        self._logs_watched: set[int] = set()
        self._notices: inotify.Notices | None = None
        try:
            self._notices = inotify.Notices()
            self._notices.watch(folder.path, inotify.CREATED | inotify.RENAMED)
        except OSError:
            self.close()

    def wait(self, most_secs: float, *, woken_fd: int = -1) -> bool:
        """Wait for something new, for `woken_fd` to be readable, and for `most_secs` at most.

        Returns:
            Whether more than output may be new: a record came, or nothing was noticed.
        """
        if self._notices is None:
            time.sleep(min(self._gather_secs, most_secs))
            return True
        for path in list(self._logs):
            with suppress(OSError):  # it is not there yet
                self._logs_watched.add(self._notices.watch(path, inotify.WRITTEN))
                self._logs.remove(path)
                most_secs = 0.0  # SYNC: what was written before the watch gives no notice: look first
        fds = [self._notices.fd, *([woken_fd] if woken_fd >= 0 else [])]
        readable = select.select(fds, [], [], most_secs)[0]
        if woken_fd in readable:
            os.read(woken_fd, _CHUNK)
        if self._notices.fd not in readable:
            return True
        time.sleep(self._gather_secs)
        return not {number for number, _, _ in self._notices.take()} <= self._logs_watched

    def close(self) -> None:
        """Hear no more. Twice is fine."""
        if self._notices is not None:
            self._notices.close()
            self._notices = None

    def __enter__(self) -> Arrivals:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
        data, self.offset = read_piece(self._file.fileno(), self.offset, self._chunk)
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
            data, end = read_span(file.fileno(), max(0, end - most_bytes), end)
    except FileNotFoundError:
        return b"", 0
    parts = data.splitlines(keepends=True)
    return b"".join(parts[-lines:]) if lines else b"", end


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
