"""A program on a terminal of its own, and the keys that are pressed there."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.paths import DataRoot

__all__ = ["Terminal", "terminal"]

KEYS = {"Space": " ", "Left": "\x1b[D", "Right": "\x1b[C", "Up": "\x1b[A", "Down": "\x1b[B", "Esc": "\x1b"}
_SECS = 90.0


class Terminal:
    """A program on a terminal of 100 columns and 40 lines."""

    def __init__(self, process: subprocess.Popen[bytes], ours: int) -> None:
        self.process, self._ours = process, ours
        self.screen = ""

    def press(self, key: str) -> None:
        """Press a key; what was on the screen before is forgotten."""
        self.screen = ""
        os.write(self._ours, KEYS.get(key, key).encode())

    def until(self, pattern: str) -> str:
        """Everything that was written once this was; what came before is forgotten."""
        until = time.monotonic() + _SECS
        while (found := re.search(pattern, self.screen, re.DOTALL)) is None:
            assert time.monotonic() < until, (
                f"{pattern!r} never came; the screen ends in {self.screen[-2000:]!r}"
            )
            ready, _, _ = select.select([self._ours], [], [], 0.2)
            if ready:
                try:
                    self.screen += os.read(self._ours, 1 << 16).decode(errors="replace")
                except OSError:  # the program has gone
                    assert re.search(pattern, self.screen, re.DOTALL), self.screen[-2000:]
        seen, self.screen = self.screen[: found.end()], self.screen[found.end() :]
        return seen

    def ended(self) -> int:
        """Its exit code; what it writes until then is read."""
        until = time.monotonic() + _SECS
        while self.process.poll() is None:
            assert time.monotonic() < until, self.screen[-2000:]
            ready, _, _ = select.select([self._ours], [], [], 0.1)
            if ready:
                try:
                    self.screen += os.read(self._ours, 1 << 16).decode(errors="replace")
                except OSError:
                    break
        return self.process.wait(_SECS)


@contextmanager
def terminal(root: DataRoot, *words: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    without = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    env = {name: value for name, value in os.environ.items() if name not in without}
    process = subprocess.Popen(
        [sys.executable, "-m", "mosaic", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**env, "MOSAIC_HOME": str(root.path), "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
