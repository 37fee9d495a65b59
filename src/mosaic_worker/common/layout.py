"""Where each byte of the fast lane lies: constants and structs, for both sides. No file, clock or thread.

A **lane** is one small file per recorded process. Viewers write their leases into it (`LEASE`), the worker
lists its environments in it (`ROW`). A **ring** is one file per watched environment, kind and size: a header
that never changes, a word that names the newest frame, and a few slots. What a slot holds is of a kind:
pixels, or a scene as compressed JSON. A row has a ring for each kind that somebody watches.

    ring:  | RING header | … | newest frame id | … | slot 0 | slot 1 | …
    slot:  | sequence | META | checksum | … | pixels or scene …
"""

from __future__ import annotations

import os
import struct
from typing import List

VERSION = 2

# ---- the ring ----

RING = struct.Struct("<8sIIQQIIQQ")
"""magic, version, slots, bytes of a slot, bytes of what it holds, pid, checked, process start, epoch"""
RING_MAGIC = b"MOSAICFR"
NEWEST_AT = 128
"""One word on a cache line of its own: the id of the newest frame, 0 before the first."""
SLOTS_AT = 4096
SLOT_ALIGN = 4096
META = struct.Struct("<QQIIIIIIQQdddddII64s")
"""frame id, monotonic nanos, kind, bytes, width, height, channels, flags, episode, step, reward, return,
steps/s, steps/s without the price of watching, seconds it took to make, env index, row, episode id"""
SLOT = struct.Struct("<Q" + META.format[1:])
"""The sequence word, and META right after it."""
META_AT = 8
CHECK_AT = META_AT + META.size
PIXELS_AT = 256
PIXELS, SCENE = range(2)
"""Kinds of what is in a slot, and of what a lease asks for."""
TRANSPOSED = 1
"""Flag: the pixels lie column by column (as pygame keeps them): copied as they are, turned by the reader."""
SLOTS = 4
MAX_SLOTS = 64
MAX_SIDE = 16384
CHANNELS = (1, 3, 4)

# ---- the lane ----

LANE = struct.Struct("<8sIIIIQQ")
"""magic, version, rows, viewers, pid, process start, created (wall nanos)"""
LANE_MAGIC = b"MOSAICLN"
LANE_BYTES = 12288
WAKE_AT = 256
"""One word: viewers set it with every renewal, the worker clears it when no lease is in force."""
LEASES_AT = 512
VIEWERS = 8
LEASE = struct.Struct("<QQQQIII")
"""until (monotonic nanos), owner, period nanos, rows (a bit each), widest, highest, kind"""
LEASE_BYTES = 64
ROWS_AT = 1024
ROWS = 64
ROW = struct.Struct("<QQIIQI32s")
"""epoch of its frames, epoch of its scenes (0: no ring yet), state, env index, render calls, scenes, group"""
ROW_BYTES = 128
EPOCHS_AT = (0, 8)
"""By kind."""
STATE_AT = 16
CALLS_AT = 24
SCENES_AT = 32
NOTE_AT = ROWS_AT + ROWS * ROW_BYTES
NOTE_BYTES = 1024
"""Why there are no frames: a length word, then UTF-8."""

FREE, SHOWN, FAILED, WITHOUT_FRAMES, HUMAN = range(5)
"""States of a row: unused, can be shown, rendering failed, has no frames, shows itself in a window."""

NOT_ASKED, HAS_SCENES, NO_SCENES = range(3)
"""Whether a row has scenes. Looked up when somebody first watches it, with a lease of either kind."""

MOST_LEASE_NANOS = 10_000_000_000
"""No lease is in force for longer than this, whatever it says."""
SHORTEST_PERIOD_NANOS = 1_000_000_000 // 240

ORDERED = os.uname().machine in ("x86_64", "amd64", "i686", "i386")
"""Whether this processor shows stores to others in program order. Elsewhere frames carry a checksum."""


def slot_bytes(pixel_bytes: int) -> int:
    """The size of a slot with room for that many bytes of pixels or scene."""
    return -(-(PIXELS_AT + pixel_bytes) // SLOT_ALIGN) * SLOT_ALIGN


def shared_memory() -> str:
    """The folder of all this account shares: in `$MOSAIC_SHM`, else in `/dev/shm`."""
    base = os.environ.get("MOSAIC_SHM") or "/dev/shm"  # noqa: S108  (made 0700, ownership checked)
    return os.path.join(base, f"mosaic-{os.getuid()}")


def folders_of(run_dir: str) -> List[str]:
    """Where a run's lanes may lie: in shared memory, or in the run's folder when that was not possible."""
    return [os.path.join(shared_memory(), os.path.basename(run_dir)), os.path.join(run_dir, "frames")]


def lane_name(producer: str) -> str:
    """The file name of a process's lane."""
    return f"{producer}.lane"


def ring_name(producer: str, row: int, epoch: int) -> str:
    """The file name of a ring."""
    return f"{producer}.{row}.{epoch}.ring"
