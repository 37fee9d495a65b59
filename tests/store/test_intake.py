"""The next stretch of a source: what is whole, what is broken, what is not there yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.store.intake import Taken, take
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
        return take(reader, cursor=cursor, final=final, next_seq=0, block_bytes=256)


def test_nothing_is_taken_of_an_empty_or_unfinished_segment(folder: RunFolder) -> None:
    for data in (b"", b"\0" * 500, LINE[:-1], LINE[:-1] + b"\0" * 50, LINE[:10] + b"\0" + LINE[11:]):
        taken = first(folder, data, final=False)
        assert (taken.batch, taken.cursor, taken.done) == (None, 0, False)


def test_whole_lines_are_taken_and_the_rest_left(folder: RunFolder) -> None:
    taken = first(folder, LINE * 2 + LINE[:9], final=False)
    assert taken.batch is not None
    assert (taken.batch.count, taken.cursor, taken.done) == (2, 2 * len(LINE), False)


def test_an_ended_segment_is_done(folder: RunFolder) -> None:
    assert first(folder, LINE, final=True).done
    assert first(folder, LINE + b"\0" * 5000, cursor=len(LINE), final=True).done
    assert first(folder, b"", final=True).done


def test_a_hole_is_jumped_over_and_located(folder: RunFolder) -> None:
    taken = first(folder, b"\0" * 3000 + LINE, final=True)
    assert taken.batch is not None
    assert [(hole.offset, hole.bytes) for hole in taken.batch.holes] == [(0, 3000)]
    assert (taken.cursor, taken.done) == (3000, False)


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
    assert (taken.batch.count, taken.cursor) == (1, len(long))


def test_output_may_hold_nulls_and_end_without_a_newline(folder: RunFolder) -> None:
    taken = first(folder, b"a\0b" * 200 + b"\n" + LINE, final=False, name="stdout.log")
    assert taken.cursor == 601
    assert first(folder, LINE[:-1], final=False, name="stdout.log").batch is None
    last = first(folder, LINE[:-1], final=True, name="stdout.log")
    assert last.batch is not None
    assert (last.batch.count, last.done) == (1, True)
