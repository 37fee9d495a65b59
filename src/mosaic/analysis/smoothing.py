"""Smoothing of curves, in pieces of any size: the pieces' results join without a seam. Pure.

What is not finite neither enters a mean nor gets one: it stays NaN in the result, so that a gap stays a gap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = ["Smoother", "Smoothing"]

_SAFE_EXPONENT = 200.0  # powers of the decay go from 1 to e^-200 inside a block: far from under- and overflow


@dataclass(frozen=True, kw_only=True)
class Smoothing:
    """How a curve is smoothed.

    `ema`: each value moves the mean by `1 - weight` (as TensorBoard's slider does, without its early bias).
    `window`: the mean of the last `window` values. `none`: as logged.
    """

    kind: Literal["none", "ema", "window"] = "none"
    weight: float = 0.9
    window: int = 100


@dataclass
class Smoother:
    """The state of one curve's smoothing between two pieces."""

    how: Smoothing
    _sum: float = 0.0
    _weight: float = 0.0
    _last: Floats = field(default_factory=lambda: np.empty(0, np.float64))

    def extend(self, values: Floats) -> Floats:
        """The smoothed values of the next piece."""
        if self.how.kind == "none":
            return values
        finite = np.isfinite(values)
        plain = values if finite.all() else values[finite]
        smooth = self._ema(plain) if self.how.kind == "ema" else self._window(plain)
        if plain is values:
            return smooth
        result = np.full(len(values), np.nan)
        result[finite] = smooth
        return result

    def _ema(self, values: Floats) -> Floats:
        decay = min(max(self.how.weight, 0.0), 0.9999)
        if decay == 0.0 or not len(values):
            return values
        block = max(1, min(len(values), int(_SAFE_EXPONENT / -math.log(decay))))
        result = np.empty(len(values))
        powers = decay ** np.arange(1, block + 1)
        shares = (1 - decay) / powers
        for start in range(0, len(values), block):
            piece, sums = values[start : start + block], result[start : start + block]
            power = powers[: len(piece)]
            # s_k = decay^k s_0 + (1 - decay) sum_j decay^(k-j) x_j, the sum taken over x_j / decay^j
            np.multiply(piece, shares[: len(piece)], out=sums)
            np.cumsum(sums, out=sums)
            sums += self._sum
            sums *= power
            self._sum = float(sums[-1])
            if self._weight < 1.0:  # once it is 1 there is no early bias left
                weights = 1.0 - power * (1.0 - self._weight)
                self._weight = float(weights[-1])
                sums /= weights
        return result

    def _window(self, values: Floats) -> Floats:
        width = max(1, self.how.window)
        together = np.concatenate([self._last, values])
        self._last = together[-(width - 1) :] if width > 1 else together[:0]
        if not len(values):
            return values
        # Sums of what differs from the first value: large values that vary little keep their digits.
        base = together[0]
        sums = np.concatenate([[0.0], np.cumsum(together - base)])
        ends = np.arange(len(together) - len(values), len(together)) + 1
        starts = np.maximum(ends - width, 0)
        means: Floats = (sums[ends] - sums[starts]) / (ends - starts) + base
        return means
