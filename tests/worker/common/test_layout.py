"""Where bytes lie between processes of different versions: sizes and places are pinned, nothing overlaps."""

from __future__ import annotations

import os
import struct
from itertools import pairwise

import pytest

from mosaic_worker.common import layout


def test_sizes_and_places_are_those_of_version_2() -> None:
    """Change any of them together with `VERSION`: the other side may be an older one."""
    assert layout.VERSION == 2
    structs = (layout.RING, layout.META, layout.SLOT, layout.LANE, layout.LEASE, layout.ROW)
    assert [(one.format, one.size) for one in structs] == [
        ("<8sIIQQIIQQ", 56),
        ("<QQIIIIIIQQdddddII64s", 168),
        ("<QQQIIIIIIQQdddddII64s", 176),
        ("<8sIIIIQQ", 40),
        ("<QQQQIII", 44),
        ("<QQIIQI32s", 68),
    ]
    assert (layout.NEWEST_AT, layout.SLOTS_AT, layout.META_AT, layout.CHECK_AT, layout.PIXELS_AT) == (
        128, 4096, 8, 176, 256,
    )  # fmt: skip
    assert (layout.WAKE_AT, layout.LEASES_AT, layout.ROWS_AT, layout.NOTE_AT, layout.LANE_BYTES) == (
        256, 512, 1024, 9216, 12288,
    )  # fmt: skip
    assert (layout.RING_MAGIC, layout.LANE_MAGIC) == (b"MOSAICFR", b"MOSAICLN")
    states = (layout.FREE, layout.SHOWN, layout.FAILED, layout.WITHOUT_FRAMES, layout.HUMAN)
    assert states == (0, 1, 2, 3, 4)
    assert (layout.PIXELS, layout.SCENE) == (0, 1)
    assert (layout.NOT_ASKED, layout.HAS_SCENES, layout.NO_SCENES) == (0, 1, 2)


def test_the_parts_of_a_lane_lie_one_after_the_other() -> None:
    parts = [
        (0, layout.LANE.size),
        (layout.WAKE_AT, 8),
        (layout.LEASES_AT, layout.VIEWERS * layout.LEASE_BYTES),
        (layout.ROWS_AT, layout.ROWS * layout.ROW_BYTES),
        (layout.NOTE_AT, layout.NOTE_BYTES),
        (layout.LANE_BYTES, 0),
    ]
    for (start, size), (after, _) in pairwise(parts):
        assert start + size <= after
    assert layout.LEASE.size <= layout.LEASE_BYTES
    assert layout.ROW.size <= layout.ROW_BYTES
    assert layout.ROWS <= 64  # a lease names rows by the bits of one word


def test_the_parts_of_a_ring_and_of_a_slot_lie_one_after_the_other() -> None:
    assert layout.RING.size <= layout.NEWEST_AT
    assert layout.NEWEST_AT + 8 <= layout.SLOTS_AT
    assert struct.calcsize("<Q") == layout.META_AT
    assert layout.CHECK_AT + 8 <= layout.PIXELS_AT
    for at in (layout.NEWEST_AT, layout.WAKE_AT, layout.META_AT, layout.CHECK_AT):
        assert at % 8 == 0  # a word is written in one go only where it is aligned
    assert layout.SLOTS_AT % layout.SLOT_ALIGN == 0


def test_the_words_that_are_written_alone_lie_where_the_struct_has_them() -> None:
    row = bytearray(layout.ROW_BYTES)
    layout.ROW.pack_into(row, 0, 21, 22, 0x01020304, 0, 0x1122334455667788, 0x05060708, b"")
    assert [struct.unpack_from("<Q", row, at)[0] for at in layout.EPOCHS_AT] == [21, 22]
    assert struct.unpack_from("<I", row, layout.SCENES_AT) == (0x05060708,)
    assert struct.unpack_from("<I", row, layout.STATE_AT) == (0x01020304,)
    assert struct.unpack_from("<Q", row, layout.CALLS_AT) == (0x1122334455667788,)


@pytest.mark.parametrize(
    ("pixels", "size"), [(0, 4096), (4096 - 256, 4096), (4096 - 255, 8192), (640 * 480 * 3, 925_696)]
)
def test_a_slot_is_a_whole_number_of_pages(pixels: int, size: int) -> None:
    assert layout.slot_bytes(pixels) == size


def test_what_an_account_shares_is_in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = f"mosaic-{os.getuid()}"
    monkeypatch.setenv("MOSAIC_SHM", "/somewhere")
    assert layout.shared_memory() == f"/somewhere/{mine}"
    assert layout.folders_of("/data/runs/01ABC") == [f"/somewhere/{mine}/01ABC", "/data/runs/01ABC/frames"]
    for nothing in ("", None):
        if nothing is None:
            monkeypatch.delenv("MOSAIC_SHM")
        else:
            monkeypatch.setenv("MOSAIC_SHM", nothing)
        assert layout.shared_memory() == f"/dev/shm/{mine}"


def test_every_ring_has_a_name_that_tells_whose_it_is() -> None:
    assert layout.lane_name("p7x1") == "p7x1.lane"
    assert layout.ring_name("p7x1", 3, 12) == "p7x1.3.12.ring"
