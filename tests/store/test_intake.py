"""The next stretch of a source: what is whole, what is broken, what is not there yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.store.intake import HEAD_BYTES, Mark, Taken, take
from mosaic.store.sources import SourceReader, list_sources

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

LINE = b'{"type":"log","text":"x","seq":0}\n'


def first(
    folder: RunFolder, data: bytes, *, cursor: int = 0, final: bool, name: str = "a-0000.jsonl"
) -> Taken:
    path = folder.stdout if name == "stdout.log" else folder.journal / name
    path.write_bytes(data)
    (source,) = [each for each in list_sources(folder) if each.path == path]
    with SourceReader(source) as reader:
        taken = take(reader, Mark(cursor), final=final, next_seq=0, block_bytes=256)
        while taken.batch is None and not taken.done and not taken.waiting:
            taken = take(reader, taken.mark, final=final, next_seq=0, block_bytes=256)
        return taken


def test_nothing_is_taken_of_an_empty_or_unfinished_segment(folder: RunFolder) -> None:
    for data in (b"", b"\0" * 500, LINE[:-1], LINE[:-1] + b"\0" * 50, LINE[:10] + b"\0" + LINE[11:]):
        taken = first(folder, data, final=False)
        assert (taken.batch, taken.mark.cursor, taken.done) == (None, 0, False)


def test_whole_lines_are_taken_and_the_rest_left(folder: RunFolder) -> None:
    taken = first(folder, LINE * 2 + LINE[:9], final=False)
    assert taken.batch is not None
    assert (taken.batch.count, taken.mark.cursor, taken.done) == (2, 2 * len(LINE), False)


def test_an_ended_segment_is_done(folder: RunFolder) -> None:
    assert first(folder, LINE, final=True).done
    assert first(folder, LINE + b"\0" * 5000, cursor=len(LINE), final=True).done
    assert first(folder, b"", final=True).done


def test_a_hole_is_jumped_over_and_located(folder: RunFolder) -> None:
    taken = first(folder, b"\0" * 3000 + LINE, final=True)
    assert taken.batch is not None
    assert [(hole.offset, hole.bytes) for hole in taken.batch.holes] == [(0, 3000)]
    assert (taken.mark.cursor, taken.done) == (3000, False)


def test_a_fragment_is_quarantined_with_its_reason(folder: RunFolder) -> None:
    torn = first(folder, LINE[:9], final=True)
    cut = first(folder, LINE[:9] + b"\0" * 9 + LINE, final=True)
    assert torn.batch is not None
    assert cut.batch is not None
    assert "died writing it" in torn.batch.odd[0].reason
    assert "cut off by a hole" in cut.batch.odd[0].reason
    assert (torn.done, cut.done) == (True, False)


def test_a_line_longer_than_a_block_is_taken_whole(folder: RunFolder) -> None:
    long = LINE.replace(b'"x"', b'"' + b"x" * 5000 + b'"')
    taken = first(folder, long + LINE, final=False)
    assert taken.batch is not None
    assert (taken.batch.count, taken.mark.cursor) == (1, len(long))


def test_output_may_hold_nulls_and_end_without_a_newline(folder: RunFolder) -> None:
    taken = first(folder, b"a\0b" * 200 + b"\n" + LINE, final=False, name="stdout.log")
    assert taken.mark.cursor == 601
    assert first(folder, LINE[:-1], final=False, name="stdout.log").batch is None
    last = first(folder, LINE[:-1], final=True, name="stdout.log")
    assert last.batch is not None
    assert (last.batch.count, last.done) == (1, True)


class Counting(SourceReader):
    """A reader that knows how much was asked of it."""

    read_bytes = 0

    def read(self, offset: int, size: int) -> bytes:
        data = super().read(offset, size)
        self.read_bytes += len(data)
        return data


def grown(folder: RunFolder, pieces: list[bytes], name: str) -> tuple[int, list[Taken]]:
    """What is taken while a file grows piece by piece, and how many bytes were read for it."""
    path = folder.stdout if name == "stdout.log" else folder.journal / name
    path.write_bytes(b"")
    (source,) = [each for each in list_sources(folder) if each.path == path]
    mark, taken = Mark(), []
    reader = Counting(source)
    with reader:
        for piece in pieces:
            with path.open("ab") as file:
                file.write(piece)
            while True:
                one = take(reader, mark, final=False, next_seq=0)
                mark = one.mark
                taken.append(one)
                if one.waiting:
                    break
        return reader.read_bytes, taken


@pytest.mark.parametrize("name", ["stdout.log", "a-0000.jsonl"])
def test_a_line_that_grows_slowly_is_read_once(folder: RunFolder, name: str) -> None:
    pieces = [b'{"type":"log","text":"', *[b"x" * 20_000] * 100, b'"}\n']
    read_bytes, taken = grown(folder, pieces, name)
    assert [one.batch.count for one in taken if one.batch is not None] == [1]
    assert read_bytes <= 2 * sum(map(len, pieces)) + len(pieces[0])  # looked through once, then read whole


@pytest.mark.parametrize("name", ["stdout.log", "a-0000.jsonl"])
def test_a_line_longer_than_any_event_is_passed_over_and_costs_itself(folder: RunFolder, name: str) -> None:
    pieces = [LINE, b'{"type":"log","text":"', *[b"x" * (1 << 20)] * 40, b'"}\n', LINE]
    read_bytes, taken = grown(folder, pieces, name)
    total = sum(map(len, pieces))
    batches = [one.batch for one in taken if one.batch is not None]
    assert [(batch.count, [odd.offset for odd in batch.odd]) for batch in batches] == [
        (1, []), (0, [len(LINE)]), (1, []),
    ]  # fmt: skip
    (odd,) = batches[1].odd
    assert odd.length == total - 2 * len(LINE) - 1
    assert len(odd.line) == HEAD_BYTES
    assert (taken[-1].mark.cursor, taken[-1].mark.line) == (total, None)
    assert read_bytes <= total + HEAD_BYTES + (1 << 20)


def test_a_progress_bar_without_end_costs_nothing_and_no_event_after_it(folder: RunFolder) -> None:
    pieces = [*[b"\r 50% of everything" * 50_000] * 20, b"\n", LINE]
    read_bytes, taken = grown(folder, pieces, "stdout.log")
    assert sum(one.batch.count for one in taken if one.batch is not None) == 1
    assert not any(one.batch.odd for one in taken if one.batch is not None)
    assert read_bytes <= 2 * sum(map(len, pieces))


@pytest.mark.parametrize(("name", "odd"), [("stdout.log", 0), ("a-0000.jsonl", 1)])
def test_a_line_without_end_in_an_ended_source_is_settled(folder: RunFolder, name: str, odd: int) -> None:
    taken = first(folder, b"x" * (17 << 20), final=True, name=name)
    assert taken.done
    assert taken.mark.cursor == 17 << 20
    assert len(taken.batch.odd if taken.batch else []) == odd
