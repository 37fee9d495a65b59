"""Runs that are about to be deleted: hidden at once, gone only after a while, until then undoable. Qt-free.

A window that is closed meanwhile has deleted nothing: what was not carried out is as if never asked.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Deletions"]


class Deletions:
    """What was asked to be deleted.

    Args:
        delay_secs: how long it can be undone.
        clock: seconds that only go up.
    """

    def __init__(self, *, delay_secs: float = 8.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.changed: Signal[[]] = Signal()
        self.delay_secs = delay_secs
        self._clock = clock
        self._at: dict[str, float] = {}
        self._going: set[str] = set()

    @property
    def hidden(self) -> frozenset[str]:
        """Runs nobody should see any more: waiting to be deleted, or being deleted."""
        return frozenset(self._at) | self._going

    @property
    def waiting(self) -> bool:
        """Whether some can still be undone."""
        return bool(self._at)

    def ask(self, run_ids: Iterable[str]) -> None:
        """Delete these, unless undone in time."""
        at = self._clock() + self.delay_secs
        fresh = [run_id for run_id in run_ids if run_id not in self.hidden]
        self._at.update(dict.fromkeys(fresh, at))
        if fresh:
            self.changed.emit()

    def undo(self, run_ids: Iterable[str] | None = None) -> list[str]:
        """Keep these, by default all that still can be kept; says which."""
        kept = [run_id for run_id in (list(self._at) if run_ids is None else run_ids) if run_id in self._at]
        for run_id in kept:
            del self._at[run_id]
        if kept:
            self.changed.emit()
        return kept

    def due(self) -> list[str]:
        """Those whose time has come: delete them now. Each is named once."""
        now = self._clock()
        ready = [run_id for run_id, at in self._at.items() if at <= now]
        for run_id in ready:
            del self._at[run_id]
            self._going.add(run_id)
        return ready

    def settle(self, run_id: str) -> None:
        """It was deleted, or could not be: in either case the list shows what there is."""
        if run_id in self._going:
            self._going.discard(run_id)
            self.changed.emit()
