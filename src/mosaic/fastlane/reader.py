"""The newest frame or scene of one environment, across resizes and the death of its writer. Never waits."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mosaic.errors import ProtocolError
from mosaic.fastlane import segment
from mosaic.fastlane.ring import RawFrame, RingReader
from mosaic_worker.common import layout
from mosaic_worker.common.scene import MOST_BYTES, SceneError, decode

if TYPE_CHECKING:
    import mmap

    import numpy.typing as npt

    from mosaic.fastlane.lane import Lane
    from mosaic_worker.common.scene import Scene

__all__ = ["Frame", "FrameReader", "Hud", "LiveScene", "SceneReader"]


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


class LiveScene(NamedTuple):
    """What is there in one environment."""

    frame_id: int
    epoch: int
    monotonic_nanos: int
    scene: Scene
    hud: Hud


class _Reader:
    """Follows one row of a lane.

    Args:
        lane: the process.
        row: which of its environments.
    """

    _kind: int

    def __init__(self, lane: Lane, row: int) -> None:
        self._lane = lane
        self.row = row
        self._ring: RingReader | None = None
        self._memory: mmap.mmap | None = None
        self._epoch = 0
        self._seen = 0
        self.refused = 0
        """Rings, and scenes, that were not what they should be."""

    def _latest(self, *, again: bool) -> RawFrame | None:
        epoch = self._lane.epoch_of(self.row, kind=self._kind)
        if epoch != self._epoch:
            self._attach(epoch)
        if self._ring is None:
            return None
        raw = self._ring.latest(after=0 if again else self._seen)
        if raw is None:
            return None
        self._seen = raw.frame_id
        if raw.kind != self._kind:
            self.refused += 1
            return None
        return raw

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


class FrameReader(_Reader):
    """Follows the frames of one row."""

    _kind = layout.PIXELS

    def latest(self, *, again: bool = False) -> Frame | None:
        """The newest frame, or None: one given out already counts only `again`."""
        raw = self._latest(again=again)
        if raw is None:
            return None
        pixels = np.frombuffer(raw.pixels, dtype=np.uint8)
        if raw.flags & layout.TRANSPOSED:
            pixels = pixels.reshape(raw.width, raw.height, raw.channels).transpose(1, 0, 2)
        else:
            pixels = pixels.reshape(raw.height, raw.width, raw.channels)
        return Frame(raw.frame_id, self._epoch, raw.monotonic_nanos, pixels, _hud(raw))


class SceneReader(_Reader):
    """Follows the scenes of one row."""

    _kind = layout.SCENE

    def latest(self, *, again: bool = False) -> LiveScene | None:
        """The newest scene, or None: one given out already counts only `again`."""
        raw = self._latest(again=again)
        if raw is None:
            return None
        try:
            # No more than a scene may have: a few bytes could unpack to gigabytes.
            scene = decode(zlib.decompressobj().decompress(raw.pixels, MOST_BYTES + 1))
        except (zlib.error, SceneError):
            self.refused += 1
            return None
        return LiveScene(raw.frame_id, self._epoch, raw.monotonic_nanos, scene, _hud(raw))


def _hud(raw: RawFrame) -> Hud:
    named = raw.episode_id.rstrip(b"\0").decode("utf-8", "replace")
    return Hud(
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
