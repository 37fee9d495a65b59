"""The writing side by itself; both sides together are in tests/fastlane."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest

from mosaic.fastlane import segment
from mosaic_worker.common import layout
from mosaic_worker.fastlane import Lane, RingFile, RingWriter, create


def test_the_layout_does_not_overlap_itself() -> None:
    assert layout.RING.size <= layout.NEWEST_AT < layout.SLOTS_AT
    assert layout.CHECK_AT + 8 <= layout.PIXELS_AT
    assert layout.CHECK_AT % 8 == layout.NEWEST_AT % 8 == layout.PIXELS_AT % 8 == 0
    assert layout.LANE.size <= layout.WAKE_AT < layout.LEASES_AT
    assert layout.LEASE.size <= layout.LEASE_BYTES
    assert layout.LEASES_AT + layout.VIEWERS * layout.LEASE_BYTES <= layout.ROWS_AT
    assert layout.ROW.size <= layout.ROW_BYTES
    assert layout.NOTE_AT + layout.NOTE_BYTES <= layout.LANE_BYTES


def test_a_ring_has_room_for_what_it_was_made_for() -> None:
    for wanted in (1, 3839, 3840, 3841, 1920 * 1080 * 3):
        memory = mmap.mmap(-1, RingWriter.size_for(wanted))
        writer = RingWriter(memory, pixel_bytes=wanted)
        assert writer.pixel_bytes >= wanted
        room = writer.pixel_bytes
        assert writer.publish(bytes(room), room, 1, 1) == 1
        with pytest.raises(ValueError, match=f"a frame of {room + 1} bytes in a ring for {room}"):
            writer.publish(bytes(room + 1), room + 1, 1, 1)
        writer.close()


def test_a_file_that_exists_is_not_overwritten_and_no_room_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        create(str(tmp_path / "there"), 10)
    with pytest.raises(OSError, match="too large|No space"):
        create(str(tmp_path / "huge"), 1 << 62)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_forked_child_lets_go_without_taking_anything_away(tmp_path: Path) -> None:
    lane = Lane(str(tmp_path / "run"), "p1xa")
    ring = lane.new_ring(0, pixel_bytes=10, epoch=1)
    child = os.fork()
    if child == 0:
        ring.close(unlink=False)
        lane.close(unlink=False)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert os.path.exists(ring.path)
    assert segment.alive(Path(lane.path))
    ring.close()
    lane.close()
    assert not os.path.exists(lane.folder)


def test_closing_a_ring_twice_is_fine(tmp_path: Path) -> None:
    ring = RingFile(str(tmp_path / "ring"), pixel_bytes=10)
    ring.close()
    ring.close()
    assert not list(tmp_path.iterdir())
