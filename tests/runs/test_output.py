"""A log whose oldest part was dropped reads as its rest, with one line for what is missing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mosaic.runs.output import PAGE_BYTES, dropped_words, read_piece, read_span
from mosaic.store.quotas import free

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GAP_PAGES = 2000
BEFORE, AFTER = b"b" * (2 * PAGE_BYTES), b"after\n" + b"\0" * 9 + b"a" * 5000 + b"\0" * 99


@pytest.fixture(params=["punched", "copied"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    path = tmp_path / "stdout.log"
    filling = b"\0" if request.param == "copied" else b"x"
    path.write_bytes(BEFORE + filling * (GAP_PAGES * PAGE_BYTES) + AFTER)
    if request.param == "punched":
        assert free(path, [(len(BEFORE), len(BEFORE) + GAP_PAGES * PAGE_BYTES)])
    fd = os.open(path, os.O_RDONLY)
    yield fd
    os.close(fd)


@pytest.mark.parametrize("most_bytes", [1, 100, PAGE_BYTES - 1, PAGE_BYTES, 70_000, 1 << 20])
def test_whatever_the_size_of_a_piece_all_of_the_rest_is_read(log: int, most_bytes: int) -> None:
    shown, offset = b"", 0
    while (piece := read_piece(log, offset, most_bytes)).data:
        shown, offset = shown + piece.data, piece.next_offset
    assert shown == BEFORE + dropped_words(GAP_PAGES * PAGE_BYTES) + AFTER


@pytest.mark.parametrize("into", [0, 1, PAGE_BYTES, 7 * PAGE_BYTES + 5])
def test_who_begins_within_a_gap_is_told_of_its_rest(log: int, into: int) -> None:
    end = os.fstat(log).st_size
    missing = GAP_PAGES * PAGE_BYTES - into
    assert read_span(log, len(BEFORE) + into, end) == (dropped_words(missing) + AFTER, end)


def test_a_span_ends_where_it_should(log: int) -> None:
    assert read_span(log, 10, 20) == (BEFORE[10:20], 20)
