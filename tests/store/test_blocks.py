"""Sealed segments: what survives is read at its offset, what does not is NULs, and nothing explodes."""

from __future__ import annotations

import os
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import zstandard

from mosaic.store.blocks import BLOCK_BYTES, Damage, SealedFile, end_mark, frame

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXT = b"".join(b'{"type":"log","text":"%d"}\n' % random.Random(k).getrandbits(64) for k in range(80_000))
BLOCKS = -(-len(TEXT) // BLOCK_BYTES)


def packed(text: bytes = TEXT) -> bytes:
    parts = [frame(text[at : at + BLOCK_BYTES], offset=at) for at in range(0, len(text), BLOCK_BYTES)]
    return b"".join(parts) + end_mark(length=len(text), file_bytes=sum(map(len, parts)))


@contextmanager
def opened(path: Path, data: bytes) -> Iterator[SealedFile]:
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    try:
        yield SealedFile(fd)
    finally:
        os.close(fd)


def test_what_was_packed_is_read_in_any_order(tmp_path: Path) -> None:
    assert BLOCKS > 4
    with opened(tmp_path / "x", packed()) as sealed:
        assert (sealed.length, sealed.cut, sealed.damage()) == (len(TEXT), False, [])
        chance = random.Random(1)
        for _ in range(200):
            at, size = chance.randrange(len(TEXT) + 100), chance.randrange(1 << 20)
            assert sealed.read(at, size) == TEXT[at : at + size]


def test_any_zstd_tool_unpacks_it(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(packed())
    with path.open("rb") as file:
        assert zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read() == TEXT


def test_an_empty_one_is_whole(tmp_path: Path) -> None:
    with opened(tmp_path / "x", packed(b"")) as sealed:
        assert (sealed.length, sealed.cut, sealed.damage(), sealed.read(0, 9)) == (0, False, [], b"")


@pytest.mark.parametrize("seed", range(60))
def test_a_flipped_bit_costs_its_block_and_is_located(tmp_path: Path, seed: int) -> None:
    data = bytearray(packed())
    at = random.Random(seed).randrange(len(data) - 32)
    data[at] ^= 1 << seed % 8
    with opened(tmp_path / "x", bytes(data)) as sealed:
        (damage,) = sealed.damage()
        assert damage.offset % BLOCK_BYTES == 0
        assert damage.size == min(BLOCK_BYTES, len(TEXT) - damage.offset)
        end = damage.offset + damage.size
        expected = TEXT[: damage.offset] + bytes(damage.size) + TEXT[end:]
        assert sealed.read(0, len(TEXT)) == expected
        assert not sealed.cut


@pytest.mark.parametrize("where", ["begin", "middle", "end"])
def test_a_zeroed_range_costs_the_blocks_it_touches(tmp_path: Path, where: str) -> None:
    data = bytearray(packed())
    at = {"begin": 0, "middle": len(data) // 2, "end": len(data) - 32 - 4096}[where]
    data[at : at + 4096] = bytes(4096)
    with opened(tmp_path / "x", bytes(data)) as sealed:
        lost = sum(damage.size for damage in sealed.damage())
        assert BLOCK_BYTES >= lost > 0 or (lost <= 2 * BLOCK_BYTES and len(sealed.damage()) == 2)
        read = sealed.read(0, len(TEXT))
        assert len(read) == len(TEXT)
        assert sum(1 for mine, true in zip(read, TEXT, strict=True) if mine != true) <= lost


@pytest.mark.parametrize("left", [0, 1, 40, 5_000, 300_000, -1, -32, -33])
def test_a_cut_file_is_read_up_to_there_and_says_that_its_end_is_missing(tmp_path: Path, left: int) -> None:
    with opened(tmp_path / "x", packed()[:left]) as sealed:
        assert sealed.cut
        assert sealed.damage()[-1] == Damage(sealed.length, 0, "its end is missing")
        read = sealed.read(0, len(TEXT))
        assert all(mine in (true, 0) for mine, true in zip(read, TEXT, strict=False))


@pytest.mark.parametrize("sized", [False, True])
def test_one_frame_as_it_was_once_is_read_in_any_order(tmp_path: Path, sized: bool) -> None:
    old = zstandard.ZstdCompressor(level=6, write_checksum=True).compressobj(*[len(TEXT)] * sized)
    with opened(tmp_path / "x", old.compress(TEXT) + old.flush()) as sealed:
        assert (sealed.length, sealed.cut, sealed.damage()) == (len(TEXT), False, [])
        for at, size in ((0, 10), (1 << 20, 100), (5, 1 << 20), (len(TEXT) - 3, 10), (len(TEXT), 1)):
            assert sealed.read(at, size) == TEXT[at : at + size]


@pytest.mark.parametrize("how", ["cut", "flipped", "checksum"])
def test_a_damaged_frame_of_once_is_read_as_far_as_it_goes(tmp_path: Path, how: str) -> None:
    old = zstandard.ZstdCompressor(level=6, write_checksum=True).compress(TEXT)
    data = bytearray(old[: len(old) // 2] if how == "cut" else old)
    if how == "flipped":
        data[len(old) // 2 : len(old) // 2 + 2000] = bytes(2000)
    elif how == "checksum":
        data[-1] ^= 1
    with opened(tmp_path / "x", bytes(data)) as sealed:
        assert sealed.cut
        assert sealed.length == len(TEXT)
        (damage,) = sealed.damage()
        assert damage.offset + damage.size == len(TEXT)
        assert how == "flipped" or sealed.read(0, damage.offset) == TEXT[: damage.offset]
        assert damage.offset > len(TEXT) // 4
        assert sealed.read(damage.offset, damage.size) == bytes(damage.size)


def test_a_bomb_of_one_frame_is_read_up_to_a_bound(tmp_path: Path) -> None:
    bomb = zstandard.ZstdCompressor(level=6).compressobj()
    data = b"".join([bomb.compress(b"x" * (16 << 20)) for _ in range(16)] + [bomb.flush()])
    assert len(data) < 64 << 10
    with opened(tmp_path / "x", data) as sealed:
        assert sealed.length == 64 << 20
        assert sealed.cut
        assert "more than" in sealed.damage()[0].why
        assert sealed.read(60 << 20, 16 << 20) == b"x" * (4 << 20)


def test_a_frame_that_asks_for_much_memory_gets_none(tmp_path: Path) -> None:
    lying = b"\x28\xb5\x2f\xfd\xe4" + (1 << 60).to_bytes(8, "little") + b"\x01\x00\x00" + bytes(4)
    with opened(tmp_path / "x", lying) as sealed:
        assert sealed.length <= 64 << 20
        assert sealed.cut
    mark = frame(b"x" * 100, offset=0)[:32]
    with opened(tmp_path / "y", mark + lying.ljust(60, b"\0")) as sealed:
        assert sealed.damage()[0] == Damage(0, 100, "it does not match its checksum")


def test_a_bomb_of_blocks_is_read_up_to_a_bound(tmp_path: Path) -> None:
    block = b"x" * BLOCK_BYTES
    data = b"".join(frame(block, offset=n * BLOCK_BYTES) for n in range(1_000))
    with opened(tmp_path / "x", data) as sealed:
        assert sealed.length <= max(64 << 20, 1000 * len(data))
        assert sealed.cut


def test_lines_that_are_all_alike_are_sealed_so_that_they_can_be_read(tmp_path: Path) -> None:
    text = b"x" * (80 << 20)
    with opened(tmp_path / "x", packed(text)) as sealed:
        assert (sealed.length, sealed.cut, sealed.damage()) == (len(text), False, [])


def test_marks_that_lie_about_their_offsets_are_not_believed(tmp_path: Path) -> None:
    first, second = frame(b"a" * 100, offset=0), frame(b"b" * 100, offset=50)
    far = frame(b"c" * 100, offset=1 << 62)
    end = end_mark(length=1 << 63, file_bytes=1 << 62)
    with opened(tmp_path / "x", first + second + far + end) as sealed:
        assert sealed.read(0, 100) == b"a" * 100
        assert sealed.length <= 64 << 20
        assert sealed.cut
