"""The one way to follow runs: a store is read when the list of runs says that it has moved (`store_seq`).

The daemon tells the list how far each store has come, some ten times a second. A view of what is in stores
has a `Following`: off the window's thread it reads the runs whose number is another one than at the last
read, one read at a time, and only while somebody looks. No view opens a store by the clock.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.ops import Operation

__all__ = ["Following"]

T = TypeVar("T")
_RETRY_SECS = 1.0


class Following(Generic[T]):
    """Keeps one view up to date.

    Args:
        context: its `runs` say what has moved, its `ops` do the reading.
        wanted: which runs the view shows now.
        work: what reads them, for the runs that are due; it is called on another thread.
        take: given what was read, on the window's thread; says whether there is more to read at once.
        failed: given the reason when reading failed; it is tried again after a second.
        gap_ms: the shortest time between two reads.
        share: at most this part of the time is spent reading, so that what takes long is read less often.
    """

    def __init__(
        self,
        context: Context,
        *,
        wanted: Callable[[], Sequence[str]],
        work: Callable[[tuple[str, ...]], Callable[[], T]],
        take: Callable[[T], bool],
        failed: Callable[[str], object],
        gap_ms: int = 200,
        share: float = 0.25,
    ) -> None:
        self._context = context
        self._wanted, self._work, self._take, self._failed = wanted, work, take, failed
        self._gap_secs, self._share = gap_ms / 1000, share
        self._seen: dict[str, int] = {}  # at most one entry per wanted run
        self._reading: Operation | None = None
        self._lookers: set[object] = set()  # at most one entry per view
        self._asked = self._anew = False  # while a read was under way
        self._not_before = 0.0
        self._put_off = False  # some of what was just read could not be
        self._later = QTimer(singleShot=True)
        self._later.timeout.connect(self.turn)
        self._unhear = context.runs.changed.connect(self._moved)

    @property
    def reading(self) -> bool:
        """Whether a read is under way."""
        return self._reading is not None

    @property
    def looking(self) -> bool:
        """Whether somebody looks."""
        return bool(self._lookers)

    def start(self, looker: object = None) -> None:
        """Somebody looks; of several views, each says so for itself."""
        self._lookers.add(looker)
        self.turn()

    def stop(self, looker: object = None) -> None:
        """This one looks no more; when nobody does, nothing is read."""
        self._lookers.discard(looker)
        if not self._lookers:
            self._later.stop()

    def close(self) -> None:
        """Stop for good: nothing is heard, and what is being read is not wanted any more."""
        self._lookers.clear()
        self._later.stop()
        self._unhear()
        self.let_go()

    def ask(self, *, anew: bool = False) -> None:
        """Something else is wanted: read at once.

        Args:
            anew: also of the runs that have not moved.
        """
        if anew:
            self._seen.clear()
        self._asked, self._anew = True, self._anew or anew
        self._not_before = 0.0
        self.turn()

    def let_go(self) -> None:
        """Other runs are shown: a read under way is not wanted any more, and nothing counts as read."""
        if self._reading is not None:
            self._reading.abandon()
            self._reading = None
        self._seen.clear()
        self._asked = self._anew = False
        self._not_before = 0.0

    def again(self, run_ids: Iterable[str], *, after_secs: float = _RETRY_SECS) -> None:
        """These could not be read: try once more, after a while."""
        for run_id in run_ids:
            self._seen.pop(run_id, None)
        self._put_off = True
        self._not_before = max(self._not_before, time.monotonic() + after_secs)
        self.turn()

    def turn(self) -> None:
        """Read what is due, unless a read is under way or the last one was just now."""
        wanted = self._wanted()
        self._seen = {run_id: self._seen[run_id] for run_id in wanted if run_id in self._seen}
        if not self._lookers or self._reading is not None:
            return
        due = tuple(run_id for run_id in wanted if self._seen.get(run_id) != self._seq(run_id))
        if not due:
            return
        left_secs = self._not_before - time.monotonic()
        if left_secs > 0:
            if not self._later.isActive():
                self._later.start(max(1, round(left_secs * 1000)))
            return
        # Taken before the read: what is stored while it is under way moves the number once more.
        seqs = {run_id: self._seq(run_id) for run_id in due}
        work = self._work(due)
        self._asked = self._anew = False

        def timed() -> tuple[T, float]:
            begun = time.monotonic()
            return work(), time.monotonic() - begun

        self._reading = self._context.ops.run(
            timed, done=lambda found: self._done(seqs, *found), failed=lambda why: self._lost(due, why)
        )

    # -- inside ---------------------------------------------------------------------------------------------

    def _seq(self, run_id: str) -> int:
        """How far the run's store has come, as the list knows it; -1 for a run that is not listed (yet)."""
        row = self._context.runs.get(run_id)
        return -1 if row is None else row.store_seq

    def _moved(self, moved: frozenset[str]) -> None:
        if self._lookers and any(run_id in moved for run_id in self._wanted()):
            self.turn()

    def _done(self, seqs: dict[str, int], found: T, took_secs: float) -> None:
        self._reading = None
        rest_secs = 0.0 if self._asked else max(self._gap_secs, took_secs / self._share - took_secs)
        self._not_before = time.monotonic() + rest_secs
        if not self._anew:
            self._seen.update(seqs)
        self._put_off = False
        if self._take(found):
            for run_id in seqs:
                self._seen.pop(run_id, None)
            if not self._put_off:  # else those that could not be read would be tried without their rest
                self._not_before = 0.0
        self.turn()

    def _lost(self, due: tuple[str, ...], why: str) -> None:
        self._reading = None
        self._failed(why)
        self.again(due)
