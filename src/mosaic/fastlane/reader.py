"""The newest frame of one environment, across resizes and the death of its writer. Never waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mosaic.errors import ProtocolError
from mosaic.fastlane import segment
from mosaic.fastlane.ring import RawFrame, RingReader
from mosaic_worker.common import layout

if TYPE_CHECKING:
    import mmap

    import numpy.typing as npt

    from mosaic.fastlane.lane import Lane

__all__ = ["Frame", "FrameReader", "Hud"]


class Hud(NamedTuple):
    """The numbers that belong to a frame. `episode` counts the episodes of this environment in its process.

    `rate`: steps/s of the process; `free_rate`: what it would be without the time spent on frames.
    """

    episode: int
    step: int
    reward: float
    total: float
    rate: float
    free_rate: float
    render_secs: float
    env_index: int
    episode_id: str


class Frame(NamedTuple):
    """One whole frame: `pixels` is (height, width, channels) of uint8 and belongs to the caller."""

    frame_id: int
    epoch: int
    monotonic_nanos: int
    pixels: npt.NDArray[np.uint8]
    hud: Hud


class FrameReader:
    """Follows one row of a lane.

    Args:
        lane: the process.
        row: which of its environments.
    """

    def __init__(self, lane: Lane, row: int) -> None:
        self._lane = lane
        self.row = row
        self._ring: RingReader | None = None
        self._memory: mmap.mmap | None = None
        self._epoch = 0
        self._seen = 0
        self.refused = 0
        """Rings that were not what they should be."""

    def latest(self, *, again: bool = False) -> Frame | None:
        """The newest frame, or None: one given out already counts only `again`."""
        epoch = self._lane.epoch_of(self.row)
        if epoch != self._epoch:
            self._attach(epoch)
        if self._ring is None:
            return None
        raw = self._ring.latest(after=0 if again else self._seen)
        if raw is None:
            return None
        self._seen = raw.frame_id
        return _frame(raw, self._epoch)

    def _attach(self, epoch: int) -> None:
        self.close()
        if epoch == 0:
            self._epoch = 0
            return
        name = layout.ring_name(self._lane.producer, self.row, epoch)
        try:
            memory = segment.attach(self._lane.path.with_name(name))
        except FileNotFoundError:
            return  # replaced already: the lane names its successor
        except ProtocolError:
            self._epoch = epoch  # looked at once, not sixty times a second
            self.refused += 1
            return
        self._epoch = epoch
        try:
            ring = RingReader(memory)
        except ProtocolError:
            memory.close()
            self.refused += 1
            return
        if ring.epoch != epoch:
            ring.close()
            memory.close()
            self.refused += 1
            return
        self._memory, self._ring, self._seen = memory, ring, 0

    def close(self) -> None:
        """Let the ring go. Twice is fine."""
        if self._ring is not None:
            self._ring.close()
            self._ring = None
        if self._memory is not None:
            self._memory.close()
            self._memory = None


def _frame(raw: RawFrame, epoch: int) -> Frame:
    pixels = np.frombuffer(raw.pixels, dtype=np.uint8)
    if raw.flags & layout.TRANSPOSED:
        pixels = pixels.reshape(raw.width, raw.height, raw.channels).transpose(1, 0, 2)
    else:
        pixels = pixels.reshape(raw.height, raw.width, raw.channels)
    named = raw.episode_id.rstrip(b"\0").decode("utf-8", "replace")
    hud = Hud(
        raw.episode,
        raw.step,
        raw.reward,
        raw.total,
        raw.rate,
        raw.free_rate,
        raw.render_secs,
        raw.env_index,
        named,
    )
    return Frame(raw.frame_id, epoch, raw.monotonic_nanos, pixels, hud)
