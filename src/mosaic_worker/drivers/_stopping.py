"""Being told to stop: SIGINT and SIGTERM end a training after its current step, with time to save.

The first signal asks; a second one insists and interrupts whatever is going on, but never a save. Outside
the gentle part a signal ends the process at once.
"""

from __future__ import annotations

import contextlib
import signal
from typing import Any, Iterator

__all__ = ["Insisted", "Stop"]


class Insisted(BaseException):
    """A second signal came before the first was obeyed. No Exception: no framework may swallow it."""


class Stop:
    """Whether somebody asked to stop. Made once, in the main thread."""

    def __init__(self) -> None:
        self.asked = 0
        """The signal that asked, or 0."""
        self._gentle = False
        self._saving = False
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, self._on_signal)

    @contextlib.contextmanager
    def gently(self) -> Iterator[None]:
        """Inside, the first signal only sets `asked`; the second raises `Insisted`, once."""
        self._gentle = True
        try:
            yield
        finally:
            self._gentle = False

    @contextlib.contextmanager
    def saving(self) -> Iterator[None]:
        """Inside, signals only set `asked`: what is being written is finished."""
        self._saving = True
        try:
            yield
        finally:
            self._saving = False

    @property
    def exit_code(self) -> int:
        """What a shell reports for a process that ended by that signal; 0 when nobody asked."""
        return 128 + self.asked if self.asked else 0

    def _on_signal(self, number: int, _: Any) -> None:
        before, self.asked = self.asked, number
        if self._saving:
            return
        if not self._gentle:
            raise SystemExit(128 + number)
        if before:
            self._gentle = False
            raise Insisted
