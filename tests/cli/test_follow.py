"""Following output files."""

from __future__ import annotations

import io
from pathlib import Path

from mosaic.cli.follow import StatusLine, Tail, last_lines


def test_a_tail_waits_for_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "stdout.log"
    with Tail(path) as tail:
        assert tail.read() == b""
        path.write_bytes(b"one\n")
        assert tail.read() == b"one\n"
        assert tail.read() == b""
        with path.open("ab") as file:
            file.write(b"two")
        assert tail.read() == b"two"
        assert tail.offset == 7


def test_a_tail_hands_out_bounded_pieces(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"abcdef")
    with Tail(path, offset=1, chunk=3) as tail:
        assert [tail.read(), tail.read(), tail.read()] == [b"bcd", b"ef", b""]


def test_last_lines_come_with_the_offset_to_go_on_from(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"1\n2\n3\npart")
    assert last_lines(path, 2) == (b"3\npart", 10)
    assert last_lines(path, 0) == (b"", 10)
    assert last_lines(tmp_path / "none", 3) == (b"", 0)


def test_the_status_line_makes_way_and_comes_back_only_at_a_line_start() -> None:
    stream = io.StringIO()
    line = StatusLine(stream, cells=20)
    line.draw("running")
    line.clear()
    line.written(b"progress 10%")
    line.draw("hidden")
    line.written(b"\n")
    line.draw("a text that is longer than the terminal")
    shown = stream.getvalue()
    assert "running" in shown
    assert "hidden" not in shown
    assert shown.endswith("a text that is lon…")


def test_what_comes_after_an_unfinished_line_begins_on_its_own() -> None:
    stream = io.StringIO()
    line = StatusLine(stream, cells=80)
    line.written(b"no newline")
    line.end_line()
    assert stream.getvalue() == "\n"
