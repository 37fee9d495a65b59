"""How fast a session goes: as fast as it can, or a number of ticks a second. Waits; decides nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Protocol

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["Pace", "Waits"]


class Waits(Protocol):
    """Whatever a loop waits for before every tick: a pace, or people (`session.hands`)."""

    def wait(self, due: Mapping[Any, View]) -> None:
        """Return when the next tick is due.

        Args:
            due: what those see who will be asked then, by actor.
        """


class Pace:
    """So many ticks a second.

    Args:
        hz: ticks a second at most; None for as fast as it goes. A late tick is not made up for: the next one
            comes a whole interval later, so that nothing ever runs faster than asked.
    """

    def __init__(
        self,
        hz: Optional[float] = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if hz is not None and not 0 < hz <= 10_000:
            raise ValueError(f"a pace is between 0 and 10,000 ticks a second, not {hz:g}")
        self._interval = None if hz is None else 1.0 / hz
        self._clock, self._sleep = clock, sleep
        self._next = 0.0

    def wait(self, due: Optional[Mapping[Any, View]] = None) -> None:
        """Return when the next tick is due."""
        del due
        if self._interval is None:
            return
        now = self._clock()
        if now < self._next:
            self._sleep(self._next - now)
            now = self._next
        self._next = now + self._interval
