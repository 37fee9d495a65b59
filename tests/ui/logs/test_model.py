"""A run's output as harmless lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.logs.model import Line, Log, read_on

if TYPE_CHECKING:
    from pathlib import Path


def test_lines_come_whole_whatever_the_pieces() -> None:
    log = Log()
    assert log.take("stdout", b"on") == []
    assert log.take("stderr", b"oops\n") == [Line("stderr", "oops")]
    assert log.partial("stdout") == "on"
    assert log.take("stdout", b"e\ntw") == [Line("stdout", "one")]
    assert log.take("stdout", b"o\r\n\n") == [Line("stdout", "two"), Line("stdout", "")]
    assert log.partial("stdout") == ""


def test_a_letter_cut_in_two_arrives_whole_and_rubbish_is_shown() -> None:
    log = Log()
    both = "é\n".encode()
    assert log.take("stdout", both[:1]) == []
    assert log.take("stdout", both[1:]) == [Line("stdout", "é")]
    assert log.take("stdout", b"\xff\n") == [Line("stdout", "\\xff")]


def test_escape_sequences_do_nothing() -> None:
    log = Log()
    data = b"\x1b[31mred\x1b[0m \x1b]0;title\x07x\x1b[2J \x07bell \x1b and \xe2\x80\xae tricks\n"
    (line,) = log.take("stdout", data)
    assert line.text.startswith("red x ")
    assert all(letter.isprintable() for letter in line.text)


def test_of_a_progress_bar_the_last_look_is_kept() -> None:
    log = Log()
    assert log.take("stderr", b"\r 1%\r 2%") == []
    assert log.partial("stderr") == " 2%"
    assert log.take("stderr", b"\r100%\n") == [Line("stderr", "100%")]


def test_old_lines_are_forgotten_and_counted_and_long_ones_cut() -> None:
    log = Log(most_lines=3, most_letters=10)
    log.take("stdout", b"".join(b"%d\n" % number for number in range(10)))
    assert [line.text for line in log.lines] == ["7", "8", "9"]
    assert log.forgotten == 7
    (line,) = log.take("stdout", b"x" * 100 + b"\n")
    assert line.text == "x" * 10 + "…"
    log.take("stdout", b"y" * 100_000)
    assert len(log._open["stdout"]) <= 40


def test_lines_are_found_by_text_and_stream() -> None:
    log = Log()
    log.take("stdout", b"Alpha\nbeta\n")
    log.take("stderr", b"alphabet\n")
    assert [line.text for line in log.matching("ALPHA")] == ["Alpha", "alphabet"]
    assert [line.text for line in log.matching("", ("stderr",))] == ["alphabet"]


def test_a_file_is_read_on_from_where_the_last_reading_ended(tmp_path: Path) -> None:
    out = tmp_path / "stdout.log"
    paths = {"stdout": out, "stderr": tmp_path / "none"}
    assert read_on(paths, {}) == {}  # type: ignore[arg-type]
    out.write_bytes(b"one\ntwo")
    first = read_on(paths, {})  # type: ignore[arg-type]
    assert first == {"stdout": (b"one\ntwo", 7)}
    out.write_bytes(b"one\ntwo\nthree\n")
    assert read_on(paths, {"stdout": 7}, most_bytes=3) == {"stdout": (b"\nth", 10)}  # type: ignore[arg-type]
    out.write_bytes(b"new\n")
    assert read_on(paths, {"stdout": 10}) == {"stdout": (b"new\n", 4)}  # type: ignore[arg-type]


def test_of_a_large_file_only_the_end_is_read_and_from_a_whole_line_on(tmp_path: Path) -> None:
    out = tmp_path / "stdout.log"
    out.write_bytes(b"0123456789abcde\n" * 200_000)
    data, end = read_on({"stdout": out}, {})["stdout"]
    assert end == out.stat().st_size
    assert len(data) <= 1 << 20
    assert data.startswith(b"0123456789abcde\n")
