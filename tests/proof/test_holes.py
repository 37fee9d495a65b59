"""G3: what is missing from a journal is counted and located, and never hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.paths import RunFolder
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.proof import oracle, sample

SEGMENT = "p7x00000000-0000.jsonl"


def ingest(folder: RunFolder, data: bytes) -> list[tuple[str, int, int, int | None]]:
    (folder.journal / SEGMENT).write_bytes(data)
    oracle.end_run(folder)
    oracle.ingest_all(folder)
    summary = oracle.assert_stored(folder)
    assert verify(folder) == []
    with StoreReader(folder) as reader:
        holes = reader.holes()
    assert summary.holes == len(holes)
    return holes


@pytest.mark.parametrize("first", [0, 1, 30, 57])
@pytest.mark.parametrize("count", [1, 3])
def test_missing_lines_are_a_hole_at_the_line_after_them(first: int, count: int, tmp_path: Path) -> None:
    folder = oracle.new_run(tmp_path / "run")
    lines = sample.lines_of("p7x00000000")
    offset = sum(map(len, lines[:first]))
    holes = ingest(folder, b"".join(lines[:first] + lines[first + count :]))
    assert holes == [(SEGMENT, offset, 0, count)]


@pytest.mark.parametrize("first", [0, 1, 30, 57])
@pytest.mark.parametrize("count", [1, 3])
def test_zeroed_lines_are_a_hole_where_they_stood(first: int, count: int, tmp_path: Path) -> None:
    folder = oracle.new_run(tmp_path / "run")
    lines = sample.lines_of("p7x00000000")
    offset = sum(map(len, lines[:first]))
    gone = sum(map(len, lines[first : first + count]))
    data = b"".join(lines)
    holes = ingest(folder, data[:offset] + bytes(gone) + data[offset + gone :])
    assert holes == [(SEGMENT, offset, gone, count)]


def test_a_zeroed_range_across_lines_costs_these_lines_and_is_one_hole(tmp_path: Path) -> None:
    folder = oracle.new_run(tmp_path / "run")
    data = b"".join(sample.lines_of("p7x00000000"))
    holes = ingest(folder, data[:1000] + bytes(4096) + data[5096:])
    assert [(source, offset, size) for source, offset, size, _ in holes] == [(SEGMENT, 1000, 4096)]


def test_a_missing_segment_is_a_hole(tmp_path: Path) -> None:
    folder = oracle.new_run(tmp_path / "run")
    lines = sample.lines_of("p7x00000000")
    (folder.journal / "p7x00000000-0002.jsonl").write_bytes(b"".join(lines[60:]))
    holes = ingest(folder, b"".join(lines[:30]))
    assert holes == [("p7x00000000-0002.jsonl", 0, 0, 30)]
