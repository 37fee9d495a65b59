"""Being told to stop: SIGINT and SIGTERM end a training after its current step, with time to save.

The first signal asks. When no step has ended a moment later (a long update), or a second signal comes, what
is going on is interrupted; a save never is. Outside the gentle part a signal ends the process at once.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
from typing import Any, Iterator, NoReturn

__all__ = ["Insisted", "Stop", "leave"]

_PATIENCE_SECS = 1.5  # of the three seconds that a stop gives before its next signal


class Insisted(BaseException):
    """The first signal was not obeyed in time. No Exception: no framework may swallow it."""


class Stop:
    """Whether somebody asked to stop. Made once, in the main thread.

    Args:
        patience_secs: how long after the first signal what is going on is interrupted.
    """

    def __init__(self, *, patience_secs: float = _PATIENCE_SECS) -> None:
        self._patience_secs = patience_secs
        self.asked = 0
        """The signal that asked, or 0."""
        self._gentle = False
        self._saving = False
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, self._on_signal)

    @contextlib.contextmanager
    def gently(self) -> Iterator[None]:
        """Inside, the first signal only sets `asked`; impatience or a second one raises `Insisted`, once."""
        self._gentle = True
        try:
            yield
        finally:
            self._gentle = False
            if self.asked:
                signal.setitimer(signal.ITIMER_REAL, 0)

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
        signal.signal(signal.SIGALRM, self._on_impatience)
        signal.setitimer(signal.ITIMER_REAL, self._patience_secs)

    def _on_impatience(self, _: int, __: Any) -> None:
        if self._gentle and not self._saving:
            self._gentle = False
            raise Insisted


def leave(code: int) -> NoReturn:
    """End the process; after a stop at once, because taking a framework down takes its time."""
    if code <= 128:
        raise SystemExit(code)
    atexit._run_exitfuncs()  # noqa: SLF001  (the journal is closed there)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
