"""Several frames as one: a grid. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["rgb", "tile"]

_GAP = 2


def rgb(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """A frame of one, three or four channels as one of three; transparency is dropped."""
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels[:, :, :3]


def tile(
    frames: Sequence[npt.NDArray[np.uint8]], *, columns: int | None = None, gap: int = _GAP
) -> npt.NDArray[np.uint8]:
    """Frames in reading order in a grid as square as it gets; cells are as large as the largest frame.

    Raises:
        ValueError: there is no frame.
    """
    if not frames:
        raise ValueError("no frame to tile")
    if len(frames) == 1:
        return np.ascontiguousarray(rgb(frames[0]))
    across = columns or math.ceil(math.sqrt(len(frames)))
    down = math.ceil(len(frames) / across)
    height = max(frame.shape[0] for frame in frames)
    width = max(frame.shape[1] for frame in frames)
    whole = np.zeros((down * (height + gap) - gap, across * (width + gap) - gap, 3), dtype=np.uint8)
    for number, frame in enumerate(frames):
        top, left = number // across * (height + gap), number % across * (width + gap)
        whole[top : top + frame.shape[0], left : left + frame.shape[1]] = rgb(frame)
    return whole
