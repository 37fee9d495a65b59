"""Reading a ring of frames. Pure: over any buffer; no file, clock or thread.

Believes nothing: every number in the buffer may be a lie. A frame is given out only when its bounds hold and
its sequence word was the same before and after the copy.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from mosaic.errors import ProtocolError
from mosaic_worker.common import layout

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["RawFrame", "RingReader"]


class RawFrame(NamedTuple):
    """One frame as it lay in its slot: pixels, or of another kind just `length` bytes of it."""

    frame_id: int
    monotonic_nanos: int
    kind: int
    length: int
    width: int
    height: int
    channels: int
    flags: int
    episode: int
    step: int
    reward: float
    total: float
    rate: float
    free_rate: float
    render_secs: float
    env_index: int
    row: int
    episode_id: bytes
    pixels: bytes


class RingReader:
    """The newest frame of a ring, or nothing.

    Args:
        buffer: the ring's memory: anything a memoryview can show.
        tries: how often a frame that was overwritten while we copied it is tried again, before we say there
            is none this time.
        copy: takes the pixels out; the one copy that is made.

    Raises:
        ProtocolError: the header is not that of a ring of this version and size.
    """

    def __init__(
        self,
        buffer: Any,
        *,
        tries: int = 8,
        copy: Callable[[memoryview], bytes] = bytes,
    ) -> None:
        view = memoryview(buffer)
        self._view = view.cast("B") if view.format != "B" or view.ndim != 1 else view
        try:
            self._read_header()
        except ProtocolError:
            self._view.release()
            raise
        self._words = self._view[: len(self._view) // 8 * 8].cast("Q")
        self._tries = tries
        self._copy = copy

    def _read_header(self) -> None:
        size = len(self._view)
        if size < layout.SLOTS_AT:
            raise ProtocolError(f"{size} bytes cannot be a ring of frames: its header has {layout.SLOTS_AT}")
        magic, version, slots, slot_bytes, pixel_bytes, pid, checked, start, epoch = layout.RING.unpack_from(
            self._view
        )
        if magic != layout.RING_MAGIC or version != layout.VERSION:
            raise ProtocolError(
                f"not a ring of version {layout.VERSION}: magic {magic!r}, version {version}. "
                "Was it written by another MOSAIC?"
            )
        if (
            not 2 <= slots <= layout.MAX_SLOTS
            or slot_bytes % layout.SLOT_ALIGN
            or pixel_bytes + layout.PIXELS_AT > slot_bytes
            or checked > 1
            or layout.SLOTS_AT + slots * slot_bytes != size
        ):
            raise ProtocolError(f"a ring of {slots} slots of {slot_bytes} bytes does not lie in {size} bytes")
        self._slots, self._slot_bytes, self._pixel_bytes = slots, slot_bytes, pixel_bytes
        self._checked = bool(checked)
        self.pid, self.process_start, self.epoch = pid, start, epoch

    def latest(self, *, after: int = 0) -> RawFrame | None:
        """The newest frame with an id over `after`, whole; None when there is none, or none to be had now."""
        view, words = self._view, self._words
        for _ in range(self._tries):
            number = words[layout.NEWEST_AT >> 3]
            if number <= after:
                return None
            base = layout.SLOTS_AT + number % self._slots * self._slot_bytes
            before = words[base >> 3]
            if before != 2 * number + 2:
                continue  # being overwritten: a newer one is, or will be, elsewhere
            meta = bytes(view[base + layout.META_AT : base + layout.CHECK_AT])
            found: tuple[Any, ...] = layout.META.unpack(meta)
            kind, length = found[2:4]
            if (
                found[0] != number
                or kind > layout.SCENE
                or length > self._pixel_bytes
                or (kind == layout.PIXELS and not _drawn(length, *found[4:8]))
            ):
                continue
            first = base + layout.PIXELS_AT
            pixels = self._copy(view[first : first + length])
            # SYNC: the writer makes this word odd before it touches the slot. Unchanged, it did not.
            if words[base >> 3] != before:
                continue
            if self._checked and zlib.crc32(meta, zlib.crc32(pixels)) != words[(base + layout.CHECK_AT) >> 3]:
                continue  # on processors that reorder stores, only this proves a frame whole
            return RawFrame._make((*found, pixels))
        return None

    def close(self) -> None:
        """Let the memory go. Twice is fine."""
        self._words.release()
        self._view.release()


def _drawn(length: int, width: int, height: int, channels: int, flags: int) -> bool:
    """Whether these are the sizes of a frame of so many bytes."""
    return (
        0 < width <= layout.MAX_SIDE
        and 0 < height <= layout.MAX_SIDE
        and channels in layout.CHANNELS
        and length == width * height * channels
        and not flags & ~layout.TRANSPOSED
    )
