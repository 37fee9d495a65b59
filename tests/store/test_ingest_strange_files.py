"""Ingest of a run in whose folder something lies that is no file: it is contained, nobody waits for it."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import StoreError
from mosaic.store.ingest import RunIngest
from mosaic.store.lag import lag
from mosaic.store.reader import StoreReader
from mosaic.store.rebuild import rebuild
from mosaic.store.verify import verify
from tests.store.journals import Segments, end_run, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

pytestmark = pytest.mark.timeout(60)


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        old = Path.cwd()
        os.chdir(path.parent)  # a socket's path is short
        try:
            sock.bind(path.name)
        finally:
            os.chdir(old)


STRANGE: dict[str, Callable[[Path], None]] = {
    "a named pipe": os.mkfifo,
    "a folder": lambda path: (path / "x").mkdir(parents=True),
    "a link to nothing": lambda path: path.symlink_to("/nonexistent/x"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to a file outside": lambda path: path.symlink_to(outside(path)),
    "a socket": bind,
}
SOURCES = ("journal/a-0000.jsonl", "journal/a-0000.jsonl.zst", "stdout.log")
STORES = ("telemetry.sqlite", "telemetry.sqlite-wal", "telemetry.sqlite-shm", "telemetry.sqlite.rebuild")


def outside(path: Path) -> Path:
    return next(parent for parent in path.parents if parent.name == "01RUN").parent / "outside"


@pytest.fixture
def filled(folder: RunFolder) -> RunFolder:
    """An ended run of an episode and an odd line, beside a file that is none of its own."""
    (folder.path.parent / "outside").write_bytes(b'{"type":"log","text":"outside"}\n')
    worker = Segments(folder)
    worker.episode(0, 5)
    worker.raw(b"odd\n")
    worker.write()
    end_run(folder)
    return folder


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_is_no_file_costs_only_itself_and_the_run_says_so(
    filled: RunFolder, name: str, strange: str
) -> None:
    STRANGE[strange](filled.path / name)
    summary = ingest_all(filled, seal=True, settle=True)
    assert (summary.steps, summary.quarantined) == (5, 1)
    assert summary.warnings == [f"{name} is not a regular file with a plain name: nothing was read from it"]
    assert verify(filled) == []
    assert lag(filled).events == 0
    assert rebuild(filled).steps == 5


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("name", STORES)
def test_what_lies_where_the_store_belongs_is_put_aside(filled: RunFolder, name: str, strange: str) -> None:
    STRANGE[strange](filled.path / name)
    kept = outside(filled.path / "x").read_bytes()
    assert ingest_all(filled, settle=True).steps == 5
    assert stat.S_ISREG(filled.store.lstat().st_mode)
    assert outside(filled.path / "x").read_bytes() == kept
    assert verify(filled) == []


@pytest.mark.parametrize("strange", STRANGE)
def test_a_store_that_is_no_file_is_refused_to_readers(filled: RunFolder, strange: str) -> None:
    STRANGE[strange](filled.store)
    with pytest.raises(StoreError):
        StoreReader(filled)


@pytest.mark.parametrize("strange", STRANGE)
def test_a_quarantine_that_is_no_file_is_left_alone(filled: RunFolder, strange: str) -> None:
    STRANGE[strange](filled.quarantine)
    summary = ingest_all(filled, settle=True)
    assert (summary.steps, summary.quarantined) == (5, 1)
    assert ["quarantine.jsonl was not written" in text for text in summary.warnings] == [True]
    assert b"outside" in outside(filled.quarantine).read_bytes()


@pytest.mark.parametrize("strange", STRANGE)
def test_an_order_that_is_no_file_is_an_error_of_that_run(filled: RunFolder, strange: str) -> None:
    STRANGE[strange](filled.order)
    with pytest.raises(StoreError, match="where a file should be"):
        RunIngest(filled)
    assert b"outside" in outside(filled.order).read_bytes()


@pytest.mark.parametrize("strange", [name for name in STRANGE if name != "a folder"])
def test_a_journal_that_is_no_folder_is_an_error_of_that_run(filled: RunFolder, strange: str) -> None:
    filled.journal.rename(filled.path / "moved")
    STRANGE[strange](filled.journal)
    with pytest.raises((StoreError, OSError)):
        RunIngest(filled)


def test_a_name_that_no_text_can_hold_is_no_source(filled: RunFolder) -> None:
    (Path(os.fsdecode(bytes(filled.journal) + b"/\xff-0000.jsonl"))).write_bytes(b"{}\n")
    summary = ingest_all(filled, settle=True)
    assert summary.steps == 5
    assert "journal/\\udcff-0000.jsonl is not" in summary.warnings[0]
    assert verify(filled) == []


def test_a_terabyte_that_was_never_written_is_not_read(filled: RunFolder) -> None:
    path = filled.journal / "b-0000.jsonl"
    line = b'{"type":"log","text":"x"}\n'
    path.write_bytes(line)
    with path.open("r+b") as file:
        file.truncate(1 << 40)
        file.seek(1 << 40)
        file.write(line)
    summary = ingest_all(filled, settle=True)
    assert summary.holes == 1
    assert summary.store_seq == 10
