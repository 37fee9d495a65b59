"""Numbers on an axis and points in time: what `mosaic.text` lacks. Pure, but for the user's time zone."""

from __future__ import annotations

import math
import time

__all__ = ["clock", "short"]


def short(value: float, *, step: float = 0.0) -> str:
    """A number on an axis: `12k`, `1.5M`. `step`, the distance to the next, says how many digits matter."""
    if value == 0 or (step and abs(value) < step / 1000):
        return "0"
    size = abs(value)
    if size >= 1e15 or size < 1e-4:
        return f"{value:.3g}"
    for least, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= least:
            digits = max(0, min(6, math.ceil(-math.log10(step / least) - 1e-9))) if step else None
            return (f"{value / least:.{digits}f}" if digits is not None else f"{value / least:.3g}") + unit
    if step:
        return f"{value:.{max(0, min(6, math.ceil(-math.log10(step) - 1e-9)))}f}"
    return f"{value:.4g}"


def clock(t: float | None) -> str:
    """A point in time as the user's clock shows it."""
    return "-" if not t else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(t))
