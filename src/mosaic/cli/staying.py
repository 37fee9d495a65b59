"""What every stay with runs has: a status line on a terminal, words above it, and Ctrl-C that is counted."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mosaic.cli.follow import status_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

__all__ = ["Staying"]


class Staying:
    """A command that stays with its runs and reports on them.

    Args:
        say: called with each line there is to say.
    """

    def __init__(self, *, say: Callable[[str], None]) -> None:
        self._tell = say
        self._interrupts = 0
        self._woken_fd = -1
        self._line = status_line()

    @contextmanager
    def _heeding(self) -> Iterator[None]:
        """Ctrl-C is counted and ends nothing by itself; the status line is left behind in good order."""
        before = signal.signal(signal.SIGINT, self._interrupted)
        # SYNC: a wait is taken up again after a signal; what the interpreter writes here is what ends it.
        self._woken_fd, waking_fd = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        waking_before = signal.set_wakeup_fd(waking_fd, warn_on_full_buffer=False)
        try:
            yield
        finally:
            if self._line:
                self._line.end_line()
            signal.set_wakeup_fd(waking_before)
            signal.signal(signal.SIGINT, before)
            os.close(self._woken_fd)
            os.close(waking_fd)

    def _interrupted(self, _signum: int, _frame: FrameType | None) -> None:
        self._interrupts += 1

    def _say(self, text: str) -> None:
        if self._line:
            self._line.end_line()
        self._tell(text)
