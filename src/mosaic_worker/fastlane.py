"""The worker's side of the fast lane: the rings it writes, and the lane in which viewers leave their leases.

The writer never waits, for anybody: a slow, stopped or dead reader costs it nothing. Readers find out by a
slot's sequence word whether they saw one whole frame. Standard library only; needs no numpy.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
import struct
import time
import zlib
from typing import Any, Iterator, List, NamedTuple

from mosaic_worker.common import layout, ofd

__all__ = ["Lane", "Lease", "RingFile", "RingWriter", "create"]

_TRIES = 50
_pack_slot = layout.SLOT.pack_into
_monotonic = time.monotonic_ns


class RingWriter:
    """Frames into a ring. Pure: over any mmap, anonymous ones too.

    Args:
        memory: zeroed, `size_for(...)` long.
        pixel_bytes: the room for the pixels of one frame. A larger frame needs another ring.
        slots: how many frames stand in the ring. More than a few and the copy leaves the processor's cache.
        epoch: the number of this ring among those of its environment, from 1 on.
        checked: put a checksum on every frame, for processors that reorder stores.
    """

    def __init__(
        self,
        memory: Any,
        *,
        pixel_bytes: int,
        slots: int = layout.SLOTS,
        epoch: int = 1,
        checked: bool = not layout.ORDERED,
    ) -> None:
        size = layout.slot_bytes(pixel_bytes)
        self.pixel_bytes = size - layout.PIXELS_AT  # what rounding up left is room as well
        self._memory = memory
        self._words = memoryview(memory).cast("Q")
        starts = [layout.SLOTS_AT + index * size for index in range(slots)]
        self._slots = [(start, start + layout.PIXELS_AT, start >> 3) for start in starts]
        self._count, self._checked = slots, checked
        self.frame_id = 0
        # SYNC: the header is complete before anybody learns of this ring, and never changes after that.
        layout.RING.pack_into(
            memory, 0, layout.RING_MAGIC, layout.VERSION, slots, size, self.pixel_bytes, os.getpid(),
            int(checked), process_start(), epoch,
        )  # fmt: skip

    @staticmethod
    def size_for(pixel_bytes: int, *, slots: int = layout.SLOTS) -> int:
        """How long a ring's memory must be."""
        return layout.SLOTS_AT + slots * layout.slot_bytes(pixel_bytes)

    def publish(
        self,
        pixels: Any,
        width: int,
        height: int,
        channels: int = 3,
        *,
        kind: int = layout.PIXELS,
        flags: int = 0,
        episode: int = 0,
        step: int = 0,
        reward: float = 0.0,
        total: float = 0.0,
        rate: float = 0.0,
        free_rate: float = 0.0,
        render_secs: float = 0.0,
        env_index: int = 0,
        row: int = 0,
        episode_id: bytes = b"",
    ) -> int:
        """Make this the newest frame. `pixels`: any contiguous buffer of exactly that many bytes.

        Of another kind `pixels` are any bytes, and the sizes 0.

        Raises:
            ValueError: the frame does not fit into this ring.
        """
        memory, words = self._memory, self._words
        length = width * height * channels if kind == layout.PIXELS else len(pixels)
        if length > self.pixel_bytes:
            raise ValueError(f"a frame of {length} bytes in a ring for {self.pixel_bytes}")
        number = self.frame_id + 1
        base, first, sequence = self._slots[number % self._count]
        # SYNC: odd while the slot changes: the first field packed, its lowest byte first. Stores become
        # visible in this order (see layout.ORDERED). A reader looks at the number before and after it copies:
        # the same even number both times means that its copy is one whole frame.
        _pack_slot(
            memory, base, 2 * number + 1, number, _monotonic(), kind, length, width, height, channels, flags,
            episode, step, reward, total, rate, free_rate, render_secs, env_index, row, episode_id,
        )  # fmt: skip
        memory[first : first + length] = pixels
        if self._checked:
            check = zlib.crc32(memory[base + layout.META_AT : base + layout.CHECK_AT], zlib.crc32(pixels))
            words[(base + layout.CHECK_AT) >> 3] = check
        words[sequence] = 2 * number + 2
        # SYNC: named the newest only when it is whole.
        words[16] = number  # NEWEST_AT
        self.frame_id = number
        return number

    def close(self) -> None:
        """Let the memory go. Twice is fine."""
        self._words.release()


class RingFile:
    """A ring in a file of its own, gone when closed."""

    def __init__(self, path: str, *, pixel_bytes: int, slots: int = layout.SLOTS, epoch: int = 1) -> None:
        """Create it.

        Raises:
            OSError: no room, or no such folder; nothing is left behind then.
        """
        self.path = path
        fd = create(path, RingWriter.size_for(pixel_bytes, slots=slots))
        try:
            self._memory = mmap.mmap(fd, 0)
        except BaseException:
            os.unlink(path)
            raise
        finally:
            os.close(fd)
        self.writer = RingWriter(self._memory, pixel_bytes=pixel_bytes, slots=slots, epoch=epoch)

    def close(self, *, unlink: bool = True) -> None:
        """Take the ring away. Readers that still look at it keep the last frame. In a fork: only let go."""
        self.writer.close()
        self._memory.close()
        if unlink:
            _unlink(self.path)


class Lease(NamedTuple):
    """One viewer's lease, made harmless: at most this often, these rows (a bit each), at most this large.

    `kind` is frames or scenes, one of the layout's; a lease of any other is not in force.
    """

    period_nanos: int
    rows: int
    width: int
    height: int
    kind: int


class Lane:
    """One process's lane. `wake[0]` is the one thing looked at while nobody watches.

    A lock on the file, held for as long as this process lives, says that the lane is alive.
    """

    def __init__(self, run_dir: str, producer: str) -> None:
        """Create it in shared memory or, when that is not possible, in the run's folder.

        Raises:
            OSError: neither is possible.
        """
        shared, own = layout.folders_of(run_dir)
        try:
            self._create([os.path.dirname(shared), shared], producer)
        except OSError:
            self._create([own], producer)

    def _create(self, folders: List[str], producer: str) -> None:
        folder = folders[-1]
        self.folder, self.producer = folder, producer
        path = os.path.join(folder, layout.lane_name(producer))
        for attempt in range(_TRIES):
            try:
                for private in folders:
                    _make_private(private)
                fd = create(path, layout.LANE_BYTES)
            except FileNotFoundError:  # a sweeper found a folder empty just now
                if attempt == _TRIES - 1:
                    raise
                continue
            if _claim(fd):
                break
            os.close(fd)
            _unlink(path)
        else:
            raise OSError(errno.EAGAIN, "a lane cannot be claimed", path)
        self._fd, self.path = fd, path
        self._memory = mmap.mmap(fd, layout.LANE_BYTES)
        self._words = memoryview(self._memory).cast("Q")
        self.wake = self._words[layout.WAKE_AT >> 3 : (layout.WAKE_AT >> 3) + 1]
        layout.LANE.pack_into(
            self._memory, 0, b"\0" * 8, layout.VERSION, layout.ROWS, layout.VIEWERS, os.getpid(),
            process_start(), time.time_ns(),
        )  # fmt: skip
        # SYNC: the magic comes last: without it a lane is one that is still being made.
        self._words[0] = struct.unpack("<Q", layout.LANE_MAGIC)[0]

    def leases(self, now_nanos: int) -> Iterator[Lease]:
        """The leases in force, every field within bounds."""
        for index in range(layout.VIEWERS):
            at = layout.LEASES_AT + index * layout.LEASE_BYTES
            until, _, period, rows, width, height, kind = layout.LEASE.unpack_from(self._memory, at)
            if now_nanos < until <= now_nanos + layout.MOST_LEASE_NANOS and rows and kind <= layout.SCENE:
                yield Lease(
                    max(period, layout.SHORTEST_PERIOD_NANOS),
                    rows,
                    min(width or layout.MAX_SIDE, layout.MAX_SIDE),
                    min(height or layout.MAX_SIDE, layout.MAX_SIDE),
                    kind,
                )

    def list_row(
        self, row: int, *, state: int, env_index: int, group: str, scenes: int = layout.NOT_ASKED
    ) -> None:
        """Show an environment to viewers."""
        at = layout.ROWS_AT + row * layout.ROW_BYTES
        layout.ROW.pack_into(self._memory, at, 0, 0, layout.FREE, env_index, 0, scenes, group.encode()[:32])
        self.set_state(row, state)  # SYNC: a row counts from here on, when the rest of it is there

    def set_state(self, row: int, state: int) -> None:
        """Say what can be expected of a row."""
        struct.pack_into("<I", self._memory, layout.ROWS_AT + row * layout.ROW_BYTES + layout.STATE_AT, state)

    def set_scenes(self, row: int, scenes: int) -> None:
        """Say whether a row has scenes."""
        at = layout.ROWS_AT + row * layout.ROW_BYTES + layout.SCENES_AT
        struct.pack_into("<I", self._memory, at, scenes)

    def set_epoch(self, row: int, epoch: int, *, kind: int = layout.PIXELS) -> None:
        """Name the ring in force for a row's frames, or for its scenes."""
        # SYNC: one store, after the ring is complete.
        self._words[(layout.ROWS_AT + row * layout.ROW_BYTES + layout.EPOCHS_AT[kind]) >> 3] = epoch

    def count_call(self, row: int, calls: int) -> None:
        """Say how often `render` was called for a row."""
        self._words[(layout.ROWS_AT + row * layout.ROW_BYTES + layout.CALLS_AT) >> 3] = calls

    def note(self, text: str) -> None:
        """Leave a sentence for viewers; the first one stays."""
        if self._words[layout.NOTE_AT >> 3]:
            return
        data = text.encode("utf-8", "replace")[: layout.NOTE_BYTES - 8]
        start = layout.NOTE_AT + 8
        self._memory[start : start + len(data)] = data
        self._words[layout.NOTE_AT >> 3] = len(data)  # SYNC: the length after the text

    def new_ring(self, row: int, *, pixel_bytes: int, epoch: int) -> RingFile:
        """A ring for a row, not yet named in the lane.

        Raises:
            OSError: no room.
        """
        path = os.path.join(self.folder, layout.ring_name(self.producer, row, epoch))
        return RingFile(path, pixel_bytes=pixel_bytes, epoch=epoch)

    def close(self, *, unlink: bool = True) -> None:
        """Take the lane away. In a forked child only let go of it: it is the parent's."""
        self.wake.release()
        self._words.release()
        self._memory.close()
        if unlink:
            _unlink(self.path)
        os.close(self._fd)  # SYNC: the lock goes last
        if unlink:
            _rmdir(self.folder)
            if os.path.dirname(self.folder) == layout.shared_memory():
                _rmdir(layout.shared_memory())


def create(path: str, size: int) -> int:
    """A new private file of that size, its memory reserved: later writes into its map cannot fail.

    Raises:
        OSError: it exists, or there is no room; nothing is left behind then.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.posix_fallocate(fd, 0, size)
    except BaseException:
        os.close(fd)
        _unlink(path)
        raise
    return fd


def process_start() -> int:
    """When this process started, in the kernel's ticks: with the pid, a name no other process has."""
    try:
        with open("/proc/self/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _claim(fd: int) -> bool:
    """Lock a file just created. False when a sweeper was quicker and took it for a dead one's."""
    try:
        ofd.take(fd)
    except OSError:
        return False
    # SYNC: a sweeper unlinks only under the lock: locked and still linked means it never will.
    return os.fstat(fd).st_nlink > 0


def _make_private(folder: str) -> None:
    """A folder of ours that nobody else may enter.

    Raises:
        OSError: somebody else's, a link, open to others, or it cannot be made.
    """
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        found = os.lstat(folder)
        if (
            not stat.S_ISDIR(found.st_mode)
            or found.st_uid != os.getuid()
            or stat.S_IMODE(found.st_mode) & 0o077
        ):
            raise PermissionError(errno.EPERM, "not a private folder of this account", folder) from None


def _rmdir(folder: str) -> None:
    """The last one out removes the folder."""
    try:
        os.rmdir(folder)
    except OSError:
        return


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
