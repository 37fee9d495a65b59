"""Small curves of returns for the run list: read, thinned, cached. When to read, others decide. Qt-free."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from mosaic.errors import StoreError
from mosaic.protocol.counting import chosen
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    import numpy.typing as npt

    from mosaic.paths import RunFolder

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
    """A run's returns so far, of the episodes that count, thinned; empty while there is no store.

    Slow: not for the window's thread.
    """
    if not folder.store.exists():
        return []
    try:
        with StoreReader(folder) as reader:
            points = reader.returns()
            return thin(points.return_[chosen(points.steps, points.mark)])
    except StoreError:
        return []


class Sparklines:
    """Curves by run, as they were last read.

    Args:
        keep: how many are remembered; beyond that the ones not looked at for longest are forgotten.
    """

    def __init__(self, *, keep: int = 512) -> None:
        self._keep = keep
        self._kept: OrderedDict[str, list[float]] = OrderedDict()

    def look(self, run_id: str) -> list[float]:
        """A run's curve as far as known."""
        if run_id in self._kept:
            self._kept.move_to_end(run_id)
        return self._kept.get(run_id, [])

    def put(self, run_id: str, points: list[float]) -> None:
        """What was read of a run."""
        self._kept[run_id] = points
        self._kept.move_to_end(run_id)
        while len(self._kept) > self._keep:
            self._kept.popitem(last=False)
