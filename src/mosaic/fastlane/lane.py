"""A process's lane, seen by a viewer: which environments it has, and our lease on the frames of some.

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

__all__ = ["Lane", "Lease", "Row", "of_other_version"]


def of_other_version(path: Path) -> bool:
    """Whether this is a whole lane, but of a process with another version of the layout."""
    try:
        memory = segment.attach(path)
    except (FileNotFoundError, ProtocolError):
        return False
    with memory:
        if len(memory) < layout.LANE.size:
            return False
        magic, version = layout.LANE.unpack_from(memory)[:2]
        return bool(magic == layout.LANE_MAGIC and version != layout.VERSION)


class Row(NamedTuple):
    """One environment of a process. `state` is one of the layout's; `epoch` 0 means it has no ring yet.

    `scenes` is one of the layout's too: it is not known before somebody watched the environment.
    """

    row: int
    epoch: int
    scene_epoch: int
    state: int
    env_index: int
    calls: int
    scenes: int
    group: str


class Lease(NamedTuple):
    """What a viewer asks for: at most so many frames a second, no larger than this (0: any size).

    With `scenes`, what is there instead of pixels.
    """

    fps: float = 30.0
    width: int = 0
    height: int = 0
    scenes: bool = False

    @property
    def kind(self) -> int:
        """As the layout has it."""
        return layout.SCENE if self.scenes else layout.PIXELS


class Lane:
    """One lane.

    Raises:
        FileNotFoundError: its process has gone.
        ProtocolError: this is not a lane, or it is still being made.
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
            raise ProtocolError(
                f"{self.path} is not a lane: {len(self._memory)} bytes instead of {layout.LANE_BYTES}"
            )
        magic, version, rows, viewers, self.pid, self.process_start, self.created = layout.LANE.unpack_from(
            self._memory
        )
        if magic != layout.LANE_MAGIC or (version, rows, viewers) != (
            layout.VERSION,
            layout.ROWS,
            layout.VIEWERS,
        ):
            raise ProtocolError(
                f"{self.path} is not a lane of version {layout.VERSION}: {magic!r}, version {version}"
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
            epoch, scene_epoch, state, env_index, calls, scenes, group = layout.ROW.unpack_from(
                self._memory, at
            )
            if layout.FREE < state <= layout.HUMAN and scenes <= layout.NO_SCENES:
                named = group.rstrip(b"\0").decode("utf-8", "replace")
                found.append(Row(row, epoch, scene_epoch, state, env_index, calls, scenes, named))
        return found

    def epoch_of(self, row: int, *, kind: int = layout.PIXELS) -> int:
        """Which ring of a row is in force for a kind; 0 for none."""
        return self._words[(layout.ROWS_AT + row * layout.ROW_BYTES + layout.EPOCHS_AT[kind]) >> 3]

    def note(self) -> str:
        """Why there are no frames, if the worker said so."""
        length = self._words[layout.NOTE_AT >> 3]
        if not 0 < length <= layout.NOTE_BYTES - 8:
            return ""
        start = layout.NOTE_AT + 8
        return self._memory[start : start + length].decode("utf-8", "replace")

    def renew(self, rows: int, lease: Lease, *, until_nanos: int, now_nanos: int) -> bool:
        """Write our lease: these rows (a bit each) until then. False when other viewers hold every slot.

        To be called again well before it runs out: the lease of a viewer that died just expires.
        """
        slot = self._find_slot(now_nanos)
        if slot is None:
            return False
        period = int(1e9 / max(lease.fps, 0.01))
        at = layout.LEASES_AT + slot * layout.LEASE_BYTES
        layout.LEASE.pack_into(
            self._memory, at, until_nanos, self._owner, period, rows, lease.width, lease.height, lease.kind
        )
        # SYNC: after the lease. The worker may clear it at the same moment: the next renewal sets it again.
        self._words[layout.WAKE_AT >> 3] = 1
        return True

    def _find_slot(self, now_nanos: int) -> int | None:
        """Our slot among the leases, or the first free one. Kept in `_slot` until the lane is closed."""
        # Nothing locks a slot. Two viewers that take the same one overwrite each other once; at its next
        # renewal the loser finds another owner there and takes another slot.
        free = None
        for slot in range(layout.VIEWERS):
            at = (layout.LEASES_AT + slot * layout.LEASE_BYTES) >> 3
            until, owner = self._words[at], self._words[at + 1]
            if owner == self._owner:
                self._slot = slot
                return slot
            if free is None and not now_nanos < until <= now_nanos + layout.MOST_LEASE_NANOS:
                free = slot
        self._slot = free
        return free

    def close(self) -> None:
        """End our lease and let go. Twice is fine."""
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
