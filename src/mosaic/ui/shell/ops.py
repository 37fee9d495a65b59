"""Work that takes time: off the window's thread, and back on it with the result. The one way to do so."""

from __future__ import annotations

import logging
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from mosaic.errors import MosaicError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.ui.shell.bridge import Bridge

__all__ = ["Operation", "Ops"]

T = TypeVar("T")
_log = logging.getLogger(__name__)
# How long a thread at work may keep the interpreter while the window's thread waits for it. Python's own five
# milliseconds are a third of a frame, and one turn of the window may wait several times.
_TURN_SECS = 0.001


class Operation:
    """One piece of work under way. Once abandoned, neither `done` nor `failed` is called any more."""

    def __init__(self) -> None:
        self.abandoned = False

    def abandon(self) -> None:
        """Nobody wants the result any more. The work itself ends when it ends."""
        self.abandoned = True


class Ops:
    """Runs work for the window.

    Args:
        bridge: the way back to the window's thread.
        at_once: how many pieces of work run at the same time; more wait in line.
        failed: told of an error nobody else asked for, as one sentence.
    """

    def __init__(self, bridge: Bridge, *, at_once: int = 6, failed: Callable[[str], None]) -> None:
        self._bridge = bridge
        self._failed = failed
        self._closed = False
        sys.setswitchinterval(min(sys.getswitchinterval(), _TURN_SECS))
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="op")

    def run(
        self,
        work: Callable[[], T],
        *,
        done: Callable[[T], object] | None = None,
        failed: Callable[[str], object] | None = None,
    ) -> Operation:
        """Have `work` done on another thread.

        Args:
            work: called off the window's thread; must touch no widget and no model.
            done: called on the window's thread with what it returned.
            failed: called on the window's thread with a sentence; by default that becomes a toast.
        """
        operation = Operation()
        if self._closed:
            operation.abandon()
            return operation

        def deliver(call: Callable[[], object]) -> None:
            self._bridge.post(lambda: None if operation.abandoned else call())

        def turn() -> None:
            try:
                found = work()
            except (MosaicError, OSError) as error:
                said = str(error)
                deliver(lambda: (failed or self._failed)(said))
            except Exception as error:  # noqa: BLE001  (a defect: told and logged, the window lives on)
                _log.exception("an operation failed")
                said = f"{type(error).__name__}: {error}"
                deliver(lambda: (failed or self._failed)(said))
            else:
                if done is not None:
                    deliver(lambda: done(found))

        self._pool.submit(turn)
        return operation

    def close(self) -> None:
        """Take no more work, drop what waits and what comes, let what runs end."""
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)
