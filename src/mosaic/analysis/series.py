"""One curve: points that only ever grow, and what of them a screen can show. Pure numpy; no file, no Qt.

A value that is not finite is never drawn as a number. It is a gap in the line and a mark of its own kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from tsdownsample import M4Downsampler

if TYPE_CHECKING:
    from mosaic.analysis.smoothing import Smoother

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

__all__ = [
    "Bools",
    "Curve",
    "Drawn",
    "Floats",
    "Growing",
    "Ints",
    "at",
    "draw",
    "marks",
    "prepare",
    "thinned",
]

_M4: Any = M4Downsampler()  # type: ignore[no-untyped-call]
_FIRST_ROOM: Final = 1024
_COARSE_FROM = 200_000  # longer curves also keep a coarse form, so that drawing them never reads all of them
_COARSE_BIN = 256  # points that a coarse form keeps four of
_COARSE_PIECE = _COARSE_BIN * 4096  # at once: the interpreter is held for a millisecond or two
_PER_PIXEL = 4  # M4 keeps first, last, lowest and highest of each pixel: it looks the same as all points


class Growing:
    """Columns of float64 that grow at their end. Views given out stay valid and never change."""

    def __init__(self, columns: int) -> None:
        self._data = np.empty((columns, _FIRST_ROOM))
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def append(self, *columns: Floats) -> None:
        """Add a piece of every column."""
        more = len(columns[0])
        if self.count + more > self._data.shape[1]:
            grown = np.empty((len(self._data), max(self.count + more, 2 * self._data.shape[1])))
            grown[:, : self.count] = self._data[:, : self.count]
            self._data = grown
        for row, column in zip(self._data, columns, strict=True):
            row[self.count : self.count + more] = column
        self.count += more

    def column(self, number: int) -> Floats:
        """All of one column so far."""
        return self._data[number, : self.count]


@dataclass(frozen=True)
class Coarse:
    """First, last, lowest and highest of every few points: their positions, and copies of them."""

    at: Ints
    x: Floats
    y: Floats


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One run's curve, ready to draw: sorted by x. `y` and `smooth` are NaN where there is no number.

    `bad` are the positions of values that were not finite, `bad_y` what they were.
    """

    x: Floats
    y: Floats
    smooth: Floats
    bad: Ints
    bad_y: Floats
    nowhere: int = 0
    """How many values lie nowhere on this axis."""
    thinned: bool = False
    """Whether older values were thinned out to bound the memory."""
    coarse_y: Coarse | None = None
    coarse_smooth: Coarse | None = None


@dataclass(frozen=True)
class Drawn:
    """A polyline: NaN in `y` breaks it."""

    x: Floats
    y: Floats


_NONE: Final = np.empty(0, np.int64)


def prepare(x: Floats, values: Floats, *, smoother: Smoother, was_thinned: bool = False) -> Curve:
    """A curve from points in the order they were logged."""
    nowhere = 0
    if len(x) and not np.isfinite(x).all():
        somewhere = np.isfinite(x)
        nowhere = int(len(x) - somewhere.sum())
        x, values = x[somewhere], values[somewhere]
    if len(x) > 1 and (x[1:] < x[:-1]).any():
        order = np.argsort(x, kind="stable")
        x, values = x[order], values[order]
    finite = np.isfinite(values)
    bad = _NONE if finite.all() else np.flatnonzero(~finite)
    plain = values if not len(bad) else np.where(finite, values, np.nan)
    smooth = smoother.extend(plain)
    coarse_y = _coarse(x, plain)
    return Curve(
        x=x,
        y=plain,
        smooth=smooth,
        coarse_y=coarse_y,
        coarse_smooth=coarse_y if smooth is plain else _coarse(x, smooth),
        bad=bad,
        bad_y=values[bad],
        nowhere=nowhere,
        thinned=was_thinned,
    )


def draw(curve: Curve, *, low: float, high: float, pixels: int, smooth: bool, log: bool = False) -> Drawn:
    """What a plot of so many pixels shows of a curve between two x; a neighbour on either side is kept.

    On a log scale, `y` is the decimal logarithm, and what is not positive has none: a gap.
    """
    first = max(0, int(np.searchsorted(curve.x, low, side="left")) - 1)
    stop = min(len(curve.x), int(np.searchsorted(curve.x, high, side="right")) + 1)
    x = curve.x[first:stop]
    y = (curve.smooth if smooth else curve.y)[first:stop]
    room = max(8, pixels) * _PER_PIXEL
    gaps = curve.bad[np.searchsorted(curve.bad, first) : np.searchsorted(curve.bad, stop)] - first
    if len(x) > room:
        coarse = curve.coarse_smooth if smooth else curve.coarse_y
        if coarse is not None and len(x) > room * _COARSE_BIN // 4:
            low_at, stop_at = np.searchsorted(coarse.at, [first, stop])
            near = coarse.at[low_at:stop_at] - first
            few = _picked(coarse.x[low_at:stop_at], coarse.y[low_at:stop_at], room)
            picked = near[few] if len(few) else near[:0]
        else:
            picked = _picked(x, y, room)
        gaps = _wide(gaps, x, least=(high - low) / max(1, pixels))
        before = np.searchsorted(picked, gaps)  # a NaN goes in before the first pick behind the gap
        kept_x, kept_y = x[picked], y[picked]
        if len(gaps):
            kept_x, kept_y = np.insert(kept_x, before, x[gaps]), np.insert(kept_y, before, np.nan)
        x, y = kept_x, kept_y
    if log:
        with np.errstate(divide="ignore", invalid="ignore"):
            y = np.where(y > 0, np.log10(y), np.nan)
    return Drawn(x, y)


def _coarse(x: Floats, y: Floats) -> Coarse | None:
    if len(x) < _COARSE_FROM:
        return None
    found = []
    for start in range(0, len(y), _COARSE_PIECE):
        piece = np.ascontiguousarray(y[start : start + _COARSE_PIECE])
        room = max(4, len(piece) // _COARSE_BIN * 4)
        found.append(_indices(_M4.downsample(piece, n_out=room), piece) + start)
    at = np.concatenate(found)
    return Coarse(at=at, x=x[at], y=y[at])


def _picked(x: Floats, y: Floats, room: int) -> Ints:
    if len(x) <= room:
        return np.flatnonzero(np.isfinite(y))
    found = _M4.downsample(np.ascontiguousarray(x), np.ascontiguousarray(y), n_out=room)
    return _indices(found, y)


def _indices(found: npt.NDArray[np.uint64], y: Floats) -> Ints:
    picked: Ints = found.astype(np.int64)
    picked = picked[np.concatenate([[True], picked[1:] > picked[:-1]])]  # an empty bin repeats its neighbour
    if picked[-1] < len(y) - 1:
        picked = np.append(picked, len(y) - 1)  # the bins are cut in floats: rounding may lose the last point
    return picked[np.isfinite(y[picked])]


def _wide(gaps: Ints, x: Floats, *, least: float) -> Ints:
    """One position for each run of gaps that is wide enough to be seen."""
    if not len(gaps):
        return gaps
    begins = np.concatenate([[True], np.diff(gaps) > 1])
    starts = gaps[begins]
    ends = gaps[np.concatenate([begins[1:], [True]])]
    before, after = np.maximum(starts - 1, 0), np.minimum(ends + 1, len(x) - 1)
    found: Ints = starts[x[after] - x[before] >= least]
    return found


def marks(curve: Curve, *, low: float, high: float, pixels: int) -> list[tuple[float, str]]:
    """Where to mark values that are not numbers: x and `nan`, `+inf` or `-inf`, one of a kind per pixel."""
    first, stop = np.searchsorted(curve.x[curve.bad], [low, high])
    step = (high - low) / max(1, pixels) or 1.0
    found: dict[tuple[int, str], float] = {}
    x, what = curve.x[curve.bad[first:stop]], curve.bad_y[first:stop]
    for kind, chosen in (("nan", np.isnan(what)), ("+inf", what > 0), ("-inf", what < 0)):
        slots, firsts = np.unique(((x[chosen] - low) / step).astype(np.int64), return_index=True)
        for slot, near in zip(slots.tolist(), firsts.tolist(), strict=True):
            found[slot, kind] = float(x[chosen][near])
    return [(x, kind) for (_, kind), x in found.items()]


def at(curve: Curve, x: float) -> tuple[float, float, float] | None:
    """The point nearest to an x: its x, value and smoothed value; the value as logged, NaN and all."""
    if not len(curve.x):
        return None
    near = int(np.searchsorted(curve.x, x))
    if near == len(curve.x) or (near > 0 and x - curve.x[near - 1] <= curve.x[near] - x):
        near -= 1
    value = float(curve.y[near])
    found = int(np.searchsorted(curve.bad, near))
    if found < len(curve.bad) and curve.bad[found] == near:
        value = float(curve.bad_y[found])
    return float(curve.x[near]), value, float(curve.smooth[near])


def thinned(columns: list[Floats], value: int, *, keep: int) -> list[Floats]:
    """About `keep` points: the newer half as it is; of the older half its extremes and its non-numbers."""
    count = len(columns[value])
    if count <= keep:
        return columns
    newer = keep // 2
    old = columns[value][: count - newer]
    room = max(4, (keep - newer) // 4 * 4)
    picked = np.unique(_M4.downsample(np.ascontiguousarray(old), n_out=room).astype(np.int64))
    odd = np.flatnonzero(~np.isfinite(old))[: keep // 4]
    chosen = np.concatenate([np.union1d(picked, odd), np.arange(count - newer, count)])
    return [column[chosen] for column in columns]
