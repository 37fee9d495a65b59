"""A process's lane, seen by a viewer: which environments it has, and our wish to see some of them.

Reads with the same distrust as the ring. Writes nothing but our own lease and the wake word.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, NamedTuple

from mosaic.errors import ProtocolError
from mosaic.fastlane import segment
from mosaic_worker.common import layout

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Lane", "Row", "Wish"]


class Row(NamedTuple):
    """One environment of a process. `state` is one of the layout's; `epoch` 0 means it has no ring yet."""

    row: int
    epoch: int
    state: int
    env_index: int
    calls: int
    group: str


class Wish(NamedTuple):
    """What a viewer wants: at most so many frames a second, no larger than this (0: any size)."""

    fps: float = 30.0
    width: int = 0
    height: int = 0


class Lane:
    """One lane.

    Raises:
        FileNotFoundError: its process has gone.
        ProtocolError: this is no lane, or it is still being made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.producer = path.name.partition(".")[0]
        self._memory = segment.attach(path, writable=True)
        try:
            self._check()
        except ProtocolError:
            self._memory.close()
            raise
        self._words = memoryview(self._memory).cast("Q")
        self._owner = struct.unpack("<Q", os.urandom(8))[0] | 1
        self._slot: int | None = None

    def _check(self) -> None:
        if len(self._memory) != layout.LANE_BYTES:
            raise ProtocolError(f"{self.path} is no lane: {len(self._memory)} bytes, not {layout.LANE_BYTES}")
        magic, version, rows, viewers, self.pid, self.process_start, self.created = layout.LANE.unpack_from(
            self._memory
        )
        if magic != layout.LANE_MAGIC or (version, rows, viewers) != (
            layout.VERSION,
            layout.ROWS,
            layout.VIEWERS,
        ):
            raise ProtocolError(
                f"{self.path} is no lane of version {layout.VERSION}: {magic!r}, version {version}"
            )

    @property
    def alive(self) -> bool:
        """Whether its process lives."""
        return segment.alive(self.path)

    def rows(self) -> list[Row]:
        """The environments listed now."""
        found = []
        for row in range(layout.ROWS):
            at = layout.ROWS_AT + row * layout.ROW_BYTES
            epoch, state, env_index, calls, group = layout.ROW.unpack_from(self._memory, at)
            if layout.FREE < state <= layout.HUMAN:
                named = group.rstrip(b"\0").decode("utf-8", "replace")
                found.append(Row(row, epoch, state, env_index, calls, named))
        return found

    def epoch_of(self, row: int) -> int:
        """Which ring of a row is in force; 0 for none."""
        return self._words[(layout.ROWS_AT + row * layout.ROW_BYTES) >> 3]

    def note(self) -> str:
        """Why there are no pictures, if the worker said so."""
        length = self._words[layout.NOTE_AT >> 3]
        if not 0 < length <= layout.NOTE_BYTES - 8:
            return ""
        start = layout.NOTE_AT + 8
        return self._memory[start : start + length].decode("utf-8", "replace")

    def ask(self, rows: int, wish: Wish, *, until_nanos: int, now_nanos: int) -> bool:
        """Write our wish: these rows (a bit each) until then. False when every place for wishes is taken.

        To be renewed well before it runs out; a viewer that dies is forgotten by itself.
        """
        place = self._place(now_nanos)
        if place is None:
            return False
        period = int(1e9 / max(wish.fps, 0.01))
        at = layout.LEASES_AT + place * layout.LEASE_BYTES
        layout.LEASE.pack_into(
            self._memory, at, until_nanos, self._owner, period, rows, wish.width, wish.height
        )
        # SYNC: after the wish. The worker may clear it at the same moment: the next renewal sets it again.
        self._words[layout.WAKE_AT >> 3] = 1
        return True

    def _place(self, now_nanos: int) -> int | None:
        """Our place among the leases; two viewers that take the same one part ways at the next renewal."""
        free = None
        for place in range(layout.VIEWERS):
            at = (layout.LEASES_AT + place * layout.LEASE_BYTES) >> 3
            until, owner = self._words[at], self._words[at + 1]
            if owner == self._owner:
                self._slot = place
                return place
            if free is None and not now_nanos < until <= now_nanos + layout.MOST_LEASE_NANOS:
                free = place
        self._slot = free
        return free

    def close(self) -> None:
        """Take our wish back and let go. Twice is fine."""
        if self._memory.closed:
            return
        if self._slot is not None:
            at = (layout.LEASES_AT + self._slot * layout.LEASE_BYTES) >> 3
            if self._words[at + 1] == self._owner:
                self._words[at] = 0
        self._words.release()
        self._memory.close()

    def __enter__(self) -> Lane:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
