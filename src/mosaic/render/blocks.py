"""Pixels in a terminal: two of them in every character, one above the other, in 24-bit colours. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["half_blocks"]

_RESET = "\x1b[0m"


def half_blocks(pixels: npt.NDArray[np.uint8], *, columns: int, lines: int) -> list[str]:
    """A frame as lines of upper half blocks, as large as it fits and never larger than it is.

    Args:
        pixels: height, width, and three colours.
        columns: how wide it may be.
        lines: how high.

    Raises:
        ValueError: there is no room for a single character, or this is not a frame.
    """
    if pixels.ndim != 3 or pixels.shape[2] < 3 or not pixels.size:
        raise ValueError(f"a frame has height, width and three colours, not {pixels.shape}")
    if columns < 1 or lines < 1:
        raise ValueError(f"there is no room in {columns} columns and {lines} lines")
    height, width = pixels.shape[:2]
    scale = min(1.0, columns / width, 2 * lines / height)
    small = _shrunk(pixels[..., :3], max(1, int(height * scale)), max(1, int(width * scale)))
    if len(small) % 2:
        small = np.concatenate([small, np.zeros_like(small[:1])])
    return [_line(upper, lower) for upper, lower in zip(small[::2], small[1::2], strict=True)]


def _shrunk(pixels: npt.NDArray[np.uint8], height: int, width: int) -> npt.NDArray[np.uint8]:
    """Each pixel the mean of those it stands for: thin things stay to be seen."""
    if (height, width) == pixels.shape[:2]:
        return pixels
    rows = np.linspace(0, pixels.shape[0], height + 1).astype(int)[:-1]
    columns = np.linspace(0, pixels.shape[1], width + 1).astype(int)[:-1]
    sums = np.add.reduceat(np.add.reduceat(pixels.astype(np.uint32), rows, axis=0), columns, axis=1)
    heights = np.diff(np.append(rows, pixels.shape[0]))
    widths = np.diff(np.append(columns, pixels.shape[1]))
    found: npt.NDArray[np.uint8] = (sums // (heights[:, None, None] * widths[None, :, None])).astype(np.uint8)
    return found


def _line(upper: npt.NDArray[np.uint8], lower: npt.NDArray[np.uint8]) -> str:
    """One line; colours are written where they change."""
    parts, before = [], ""
    for (r, g, b), (r2, g2, b2) in zip(upper.tolist(), lower.tolist(), strict=True):
        colours = f"\x1b[38;2;{r};{g};{b};48;2;{r2};{g2};{b2}m"
        parts.append("▀" if colours == before else colours + "▀")
        before = colours
    return "".join(parts) + _RESET
