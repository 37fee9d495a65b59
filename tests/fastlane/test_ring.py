"""The ring, reader and writer together over plain memory: nothing but whole frames comes out."""

from __future__ import annotations

import mmap
import random
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic.errors import ProtocolError
from mosaic.fastlane.ring import RingReader
from mosaic_worker.common import layout
from mosaic_worker.fastlane import RingWriter
from tests.fastlane import patterns

SMALL = 3000


def _ring(*, slots: int = 4, checked: bool = False, pixel_bytes: int = SMALL) -> tuple[Any, RingWriter]:
    memory = mmap.mmap(-1, RingWriter.size_for(pixel_bytes, slots=slots))
    return memory, RingWriter(memory, pixel_bytes=pixel_bytes, slots=slots, checked=checked)


def test_an_empty_ring_has_no_frame() -> None:
    memory, _ = _ring()
    assert RingReader(memory).latest() is None


@pytest.mark.parametrize("checked", [False, True])
def test_the_newest_frame_comes_back_whole_and_only_once(checked: bool) -> None:
    memory, writer = _ring(checked=checked)
    reader = RingReader(memory)
    kinds = set()
    for _ in range(50):
        number = patterns.publish(writer, 1, pixel_bytes=SMALL, mixed=True)
        frame = reader.latest(after=number - 1)
        assert frame is not None
        assert frame.frame_id == number
        assert not patterns.wrong(frame, 1, SMALL, mixed=True)
        kinds.add(frame.kind)
        assert reader.latest(after=number) is None
    assert kinds == {layout.PIXELS, layout.SCENE}


def test_a_frame_that_does_not_fit_is_refused_and_the_ring_goes_on() -> None:
    memory, writer = _ring()
    patterns.publish(writer, 1, pixel_bytes=SMALL)
    with pytest.raises(ValueError, match="in a ring for"):
        writer.publish(b"", 1000, 1000)
    with pytest.raises(ValueError, match="in a ring for"):
        writer.publish(b"x" * 5000, 0, 0, 0, kind=layout.SCENE)
    with pytest.raises(IndexError):
        writer.publish(b"too few", 10, 10)
    frame = RingReader(memory).latest()
    assert frame is not None
    assert frame.frame_id == 1
    assert patterns.publish(writer, 1, pixel_bytes=SMALL) == 2


@settings(max_examples=300, deadline=None)
@given(
    before=st.integers(0, 9),
    during=st.lists(st.integers(0, 9), min_size=1, max_size=8),
    slots=st.integers(2, 5),
    checked=st.booleans(),
)
def test_no_frame_is_torn_however_often_the_writer_comes_between(
    before: int, during: list[int], slots: int, checked: bool
) -> None:
    memory, writer = _ring(slots=slots, checked=checked)
    plan = iter(during)

    def copy_slowly(view: memoryview) -> bytes:
        half = len(view) // 2
        first = bytes(view[:half])
        for _ in range(next(plan, 0)):
            patterns.publish(writer, 1, pixel_bytes=SMALL, mixed=True)
        return first + bytes(view[half:])

    for _ in range(before):
        patterns.publish(writer, 1, pixel_bytes=SMALL, mixed=True)
    reader = RingReader(memory, copy=copy_slowly)
    for _ in range(4):
        frame = reader.latest()
        assert frame is None or not patterns.wrong(frame, 1, SMALL, mixed=True)


def test_a_writer_that_dies_in_the_middle_leaves_the_frame_before() -> None:
    memory, writer = _ring()
    for _ in range(5):
        patterns.publish(writer, 1, pixel_bytes=SMALL)
    slot = layout.SLOTS_AT + 6 % 4 * layout.slot_bytes(SMALL)
    struct.pack_into("<Q", memory, slot, 2 * 6 + 1)
    memory[slot + 300 : slot + 900] = b"x" * 600
    frame = RingReader(memory).latest()
    assert frame is not None
    assert frame.frame_id == 5
    assert not patterns.wrong(frame, 1, SMALL)


def test_the_header_never_changes_whatever_is_published() -> None:
    memory, writer = _ring()
    header = memory[: layout.NEWEST_AT]
    for _ in range(200):
        patterns.publish(writer, 1, pixel_bytes=SMALL)
        assert memory[: layout.NEWEST_AT] == header


def test_a_checked_frame_with_one_wrong_bit_is_not_given_out() -> None:
    memory, writer = _ring(checked=True)
    patterns.publish(writer, 1, pixel_bytes=SMALL)
    at = layout.SLOTS_AT + layout.slot_bytes(SMALL) + layout.PIXELS_AT
    memory[at] ^= 1
    assert RingReader(memory).latest() is None


@pytest.mark.parametrize("size", [0, 1, layout.SLOTS_AT - 1, layout.SLOTS_AT])
def test_memory_that_is_no_ring_is_refused(size: int) -> None:
    with pytest.raises(ProtocolError):
        RingReader(bytearray(size))


def fuzz(count: int, *, seed: int) -> int:
    """Headers with wrong bits, slots' too: no crash, no frame that breaks a bound. Gives how many passed."""
    return sum(_fuzz(count // 2, kind, seed=seed) for kind in (layout.PIXELS, layout.SCENE))


def _fuzz(count: int, kind: int, *, seed: int) -> int:
    dice = random.Random(seed)
    memory, writer = _ring(pixel_bytes=600, slots=2)
    for _ in range(2):
        patterns.publish(writer, 1, pixel_bytes=600)
    if kind == layout.PIXELS:
        patterns.publish(writer, 1, pixel_bytes=600)
    else:
        writer.publish(b"scene", 0, 0, 0, kind=kind)
    good = bytes(memory)
    slot = layout.SLOTS_AT + 3 % 2 * layout.slot_bytes(600)
    places = [*range(layout.RING.size), *range(128, 136), *range(slot, slot + layout.CHECK_AT)]
    edges = (0, 1, 0x7F, 0x80, 0xFF)
    given_out = 0
    damaged = bytearray(good)
    for _ in range(count):
        touched = []
        if dice.random() < 0.2:
            at = dice.choice((16, 24, 128, slot, slot + 24, slot + 28, slot + 32))
            touched = list(range(at, at + 8))
            struct.pack_into(
                "<Q", damaged, at, dice.choice((0, 1, 3, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 1))
            )
        for _ in range(dice.randrange(1, 6)):
            at = dice.choice(places)
            touched.append(at)
            damaged[at] = dice.choice(edges) if dice.random() < 0.5 else dice.randrange(256)
        try:
            reader = RingReader(damaged)
        except ProtocolError:
            reader = None
        frame = None if reader is None else reader.latest()
        if frame is not None:
            given_out += 1
            assert len(frame.pixels) == frame.length
            assert frame.kind in (layout.PIXELS, layout.SCENE)
            if frame.kind == layout.PIXELS:
                assert frame.length == frame.width * frame.height * frame.channels
                assert 0 < frame.width <= layout.MAX_SIDE
                assert 0 < frame.height <= layout.MAX_SIDE
                assert frame.channels in layout.CHANNELS
        if reader is not None:
            reader.close()
        for at in touched:
            damaged[at] = good[at]
    return given_out


def test_ten_thousand_fuzzed_headers_crash_nothing() -> None:
    assert fuzz(10_000, seed=1) > 0
