"""Frames kept in memory, up to a number of bytes. The one looked at longest ago goes first."""

from __future__ import annotations

from collections import OrderedDict

import msgspec
import numpy as np
import numpy.typing as npt

__all__ = ["Frame", "FrameCache"]


class Frame(msgspec.Struct, frozen=True):
    """What the environment looked like after `step` steps. `differs`: that step was not as recorded."""

    step: int
    width: int
    height: int
    rgb: bytes
    differs: bool = False

    def array(self) -> npt.NDArray[np.uint8]:
        """The frame as height x width x 3, read-only."""
        return np.frombuffer(self.rgb, np.uint8).reshape(self.height, self.width, 3)


class FrameCache:
    """Frames by step.

    Args:
        limit_bytes: how much is kept; one frame always is.
    """

    def __init__(self, *, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._bytes = 0
        self._frames: OrderedDict[int, Frame] = OrderedDict()

    @property
    def bytes(self) -> int:
        """How much is kept now."""
        return self._bytes

    def get(self, step: int) -> Frame | None:
        """The frame of a step, if it is kept."""
        found = self._frames.get(step)
        if found is not None:
            self._frames.move_to_end(step)
        return found

    def put(self, frame: Frame) -> None:
        """Keep a frame."""
        old = self._frames.pop(frame.step, None)
        self._bytes += len(frame.rgb) - (len(old.rgb) if old is not None else 0)
        self._frames[frame.step] = frame
        while self._bytes > self._limit and len(self._frames) > 1:
            _, gone = self._frames.popitem(last=False)
            self._bytes -= len(gone.rgb)

    def room_for(self, size: int) -> int:
        """How many frames of a size fit in all; at least one."""
        return max(1, self._limit // max(1, size))
