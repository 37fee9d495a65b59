"""The form of a packed run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import zstandard

from mosaic.errors import ProtocolError
from mosaic.exporting import archive
from mosaic.paths import RunFolder


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/etc/passwd",
        "../up",
        "a/../b",
        "a//b",
        "./a",
        "a/",
        "a\nb",
        "a\\b",
        "x" * 2000,
        "a/" + "y" * 300,
        "a\0b",
    ],
)
def test_names_that_are_not_plainly_inside_the_run_are_refused(name: str) -> None:
    with pytest.raises(ProtocolError, match="refused"):
        archive.checked_name(name)


@pytest.mark.parametrize("name", ["telemetry.sqlite", "shim.lock", "control.json"])
def test_locks_orders_and_stores_are_never_imported(name: str) -> None:
    with pytest.raises(ProtocolError, match="made anew"):
        archive.checked_name(name)


def test_ordinary_names_pass() -> None:
    assert str(archive.checked_name("checkpoints/best model.zip")) == "checkpoints/best model.zip"


def _folder(path: Path) -> RunFolder:
    folder = RunFolder(path)
    folder.journal.mkdir(parents=True)
    folder.manifest.write_text("{}")
    folder.stdout.write_bytes(b"out")
    return folder


def test_only_regular_files_that_belong_to_the_run_travel(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "run")
    folder.store.write_bytes(b"index")
    folder.shim_lock.touch()
    (folder.path / "link").symlink_to("/etc/passwd")
    os.mkfifo(folder.path / "pipe")
    taken, left = archive.own_files(folder)
    assert {path.name for path in taken} == {"manifest.json", "stdout.log"}
    assert {path.name for path in left} == {"link", "pipe"}


def test_a_sealed_segment_is_the_same_as_an_unsealed_one(tmp_path: Path) -> None:
    one, two = _folder(tmp_path / "one"), _folder(tmp_path / "two")
    text = b'{"type":"log","text":"x"}\n'
    (one.journal / "p1xab-0000.jsonl").write_bytes(text + bytes(100))
    (two.journal / "p1xab-0000.jsonl.zst").write_bytes(zstandard.compress(text))
    assert archive.contents(one) == archive.contents(two)
    two.stdout.write_bytes(b"other")
    assert archive.contents(one) != archive.contents(two)
