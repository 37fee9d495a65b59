"""Small curves of returns for the run list: thinned, cached, read when they may have changed. Qt-free."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mosaic.errors import StoreError
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from mosaic.paths import RunFolder
    from mosaic.protocol.runs import RunRow

__all__ = ["Sparklines", "read", "thin"]

POINTS = 48
"""As many as a sparkline is wide enough to show."""


def thin(values: npt.NDArray[np.float64], *, most: int = POINTS) -> list[float]:
    """At most so many points: means of equal stretches. A stretch without a number stays NaN, a gap."""
    if len(values) <= most:
        return [float(value) for value in values]
    edges = np.linspace(0, len(values), most + 1).astype(np.int64)
    finite = np.isfinite(values)
    sums = np.add.reduceat(np.where(finite, values, 0.0), edges[:-1])
    counts = np.add.reduceat(finite.astype(np.int64), edges[:-1])
    return [float(total / n) if n else float("nan") for total, n in zip(sums, counts, strict=True)]


def read(folder: RunFolder) -> list[float]:
    """A run's returns so far, thinned; empty while there is no store. Slow: not for the window's thread."""
    if not folder.store.exists():
        return []
    try:
        with StoreReader(folder) as reader:
            return thin(reader.returns().return_)
    except StoreError:
        return []


@dataclass
class _Kept:
    points: list[float]
    episodes: int
    again_at: float


class Sparklines:
    """Curves by run, for those that are looked at.

    Args:
        keep: how many are remembered; beyond that the ones not looked at for longest are forgotten.
        pause_secs: the least time between two readings of one run.
        clock: seconds that only go up.
    """

    def __init__(
        self, *, keep: int = 512, pause_secs: float = 2.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._keep, self._pause_secs, self._clock = keep, pause_secs, clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._wanted: OrderedDict[str, int] = OrderedDict()  # at most one entry per run in view
        self._busy: tuple[str, int] | None = None

    def look(self, row: RunRow) -> list[float]:
        """The curve as far as known; when there is more of it by now, it is wanted."""
        kept = self._kept.get(row.run_id)
        if kept is not None:
            self._kept.move_to_end(row.run_id)
        stale = kept is None or (kept.episodes != row.episodes and kept.again_at <= self._clock())
        if row.episodes > 1 and stale and (self._busy is None or self._busy[0] != row.run_id):
            self._wanted[row.run_id] = row.episodes
            while len(self._wanted) > self._keep:
                self._wanted.popitem(last=False)
        return kept.points if kept is not None else []

    def next(self) -> str | None:
        """The run to read now: the one wanted last. None while one is being read, or nothing is wanted."""
        if self._busy is not None or not self._wanted:
            return None
        self._busy = self._wanted.popitem()
        return self._busy[0]

    def put(self, points: list[float]) -> str | None:
        """What was read of the run that `next` named; says which that is."""
        if self._busy is None:
            return None
        run_id, episodes = self._busy
        self._busy = None
        self._kept[run_id] = _Kept(points, episodes, self._clock() + self._pause_secs)
        self._kept.move_to_end(run_id)
        while len(self._kept) > self._keep:
            self._kept.popitem(last=False)
        return run_id
