"""Curves and episodes of a store as columns, by cursor: what charts and long lists read instead of rows.

Read in pages of bounded size, so that a reader thread never holds the interpreter for long. Floats come back
bit for bit. A cursor belongs to one store: after a rebuild it says so, and the reader begins anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mosaic.store import curve, schema
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    from mosaic.store.curve import ReturnCurve

__all__ = ["CurvePage", "Mark", "MetricPage", "SeriesReader"]

_TAIL = -1  # the block of the newest points


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Which store this is and how far it goes: another `inode`, or a smaller `seq`, is another store."""

    inode: int
    seq: int
    t_first: float | None = None


@dataclass(frozen=True, kw_only=True)
class CurvePage:
    """Ended episodes in the order in which they were stored. `block` is the cursor to go on from."""

    block: int
    points: ReturnCurve


@dataclass(frozen=True, kw_only=True)
class MetricPage:
    """Values of one metric. `step` is NaN where none was logged; `seq` is the cursor to go on from."""

    seq: int
    t: npt.NDArray[np.float64]
    step: npt.NDArray[np.float64]
    value: npt.NDArray[np.float64]
    more: bool


class SeriesReader(StoreReader):
    """A read-only view of one run's store, for curves and lists. A context manager."""

    def __enter__(self) -> SeriesReader:
        return self

    def mark(self) -> Mark:
        """Where the store stands."""
        with self._reading():
            found = self.summary()
            return Mark(inode=self._inode, seq=found.store_seq, t_first=found.t_first)

    def curve_from(self, block: int) -> CurvePage:
        """Ended episodes from a block on; earlier blocks are full and never change."""
        query = "SELECT block, data FROM curve WHERE block >= ? OR block < 0 ORDER BY block < 0, block"
        with self._reading() as db:
            found = list(db.execute(query, (block,)))
        blocks = [curve.decode(data) for _, data in found]
        numbers = [number for number, _ in found if number != _TAIL]
        none = curve.join([])
        points = (
            curve.ReturnCurve(*(np.concatenate([getattr(one, name) for one in blocks]) for name in _NAMES))
            if blocks
            else none
        )
        return CurvePage(block=max(numbers, default=block), points=points)

    def names(self) -> list[tuple[str, str | None]]:
        """Each metric's name and its canonical one."""
        with self._reading() as db:
            return list(db.execute("SELECT name, canonical FROM metric_names ORDER BY id"))

    def metric_from(self, name: str, *, since_seq: int, limit: int) -> MetricPage:
        """Up to `limit` values of one metric, by its source's name, stored after `since_seq`."""
        query = (
            "SELECT seq, value, step, t FROM metrics "
            "WHERE name = (SELECT id FROM metric_names WHERE name = ?1) AND seq > ?2 ORDER BY seq LIMIT ?3"
        )
        with self._reading() as db:
            found = db.execute(query, (name, since_seq, limit)).fetchall()
        if not found:
            none = np.empty(0, np.float64)
            return MetricPage(seq=since_seq, t=none, step=none, value=none, more=False)
        seqs, values, steps, times = zip(*found, strict=True)
        return MetricPage(
            seq=seqs[-1],
            t=_floats(times),
            step=_steps(steps),
            value=_floats(values),
            more=len(found) == limit,
        )


_NAMES = ("index", "t_end", "return_", "steps", "mark")


def _floats(column: tuple[Any, ...]) -> npt.NDArray[np.float64]:
    plain = np.array(column)
    if plain.dtype.kind not in "if":  # NaN and -0.0 are kept as bytes
        return np.array([schema.to_float(value) for value in column], np.float64)
    return plain.astype(np.float64)


def _steps(column: tuple[Any, ...]) -> npt.NDArray[np.float64]:
    return np.array([schema.to_int(value) for value in column], np.float64)  # None becomes NaN
