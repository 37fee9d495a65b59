"""Sources: found in order, read by offset, plain or sealed alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import zstandard

from mosaic.store.sources import STDOUT, SourceReader, list_sources
from tests.store.journals import Segments

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def test_segments_come_in_order_and_a_sealed_one_replaces_its_original(folder: RunFolder) -> None:
    for name in (
        "b1-0010.jsonl",
        "b1-0009.jsonl",
        "a-0000.jsonl.zst",
        "a-0000.jsonl",
        "notes.txt",
        ".x-0000.jsonl.zst.tmp",
    ):
        (folder.journal / name).write_bytes(b"")
    folder.stdout.write_bytes(b"")
    sources = list_sources(folder)
    assert [source.name for source in sources] == ["a-0000.jsonl", "b1-0009.jsonl", "b1-0010.jsonl", STDOUT]
    assert [source.sealed for source in sources] == [True, False, False, False]


def test_a_segment_is_final_once_nobody_holds_it(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.write(live=True)
    (source,) = list_sources(folder)
    assert not source.final(over=False)
    worker.die()
    assert source.final(over=False)


def test_an_empty_segment_is_final_only_when_the_run_is_over(folder: RunFolder) -> None:
    (folder.journal / "p1x00000000-0000.jsonl").touch()  # named, not yet locked: its writer may be at it
    (source,) = list_sources(folder)
    assert not source.final(over=False)
    assert source.final(over=True)


def test_sealed_bytes_are_read_as_plain_ones_in_any_order(folder: RunFolder) -> None:
    data = bytes(range(1, 251)) * 20_000
    (folder.journal / "a-0000.jsonl").write_bytes(data)
    (folder.journal / "b-0000.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(data))
    for source in list_sources(folder):
        with SourceReader(source) as reader:
            for offset, size in (
                (0, 10),
                (5, 3_000_000),
                (4_999_990, 100),
                (17, 1),
                (5_000_000, 5),
                (6_000_000, 5),
            ):
                assert reader.read(offset, size) == data[offset : offset + size]


def test_a_damaged_sealed_segment_says_so(folder: RunFolder) -> None:
    (folder.journal / "a-0000.jsonl.zst").write_bytes(b"no zstd at all")
    (source,) = list_sources(folder)
    with SourceReader(source) as reader:
        assert reader.read(0, 10) == b""
        assert reader.cut


def test_padding_is_no_data(folder: RunFolder) -> None:
    path = folder.journal / "a-0000.jsonl"
    path.write_bytes(b"one\n" + b"\0" * 3_000_000 + b"two\n" + b"\0" * 2_000_000)
    (source,) = list_sources(folder)
    with SourceReader(source) as reader:
        assert reader.reaches(3_000_008)
        assert not reader.reaches(3_000_009)
        assert reader.next_data(4) == 3_000_004
        assert reader.next_data(3_000_008) is None
