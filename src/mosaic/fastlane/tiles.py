"""Several pictures as one: a grid. Pure."""

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
    """A picture of one, three or four channels as one of three; transparency is dropped."""
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels[:, :, :3]


def tile(
    pictures: Sequence[npt.NDArray[np.uint8]], *, columns: int | None = None, gap: int = _GAP
) -> npt.NDArray[np.uint8]:
    """Pictures in reading order in a grid as square as it gets; cells are as large as the largest picture.

    Raises:
        ValueError: there is no picture.
    """
    if not pictures:
        raise ValueError("no picture to tile")
    if len(pictures) == 1:
        return np.ascontiguousarray(rgb(pictures[0]))
    across = columns or math.ceil(math.sqrt(len(pictures)))
    down = math.ceil(len(pictures) / across)
    height = max(picture.shape[0] for picture in pictures)
    width = max(picture.shape[1] for picture in pictures)
    whole = np.zeros((down * (height + gap) - gap, across * (width + gap) - gap, 3), dtype=np.uint8)
    for number, picture in enumerate(pictures):
        top, left = number // across * (height + gap), number % across * (width + gap)
        whole[top : top + picture.shape[0], left : left + picture.shape[1]] = rgb(picture)
    return whole
