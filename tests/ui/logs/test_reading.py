"""The files of a run's output: read on, not anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.logs.reading import read_on

if TYPE_CHECKING:
    from pathlib import Path


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
