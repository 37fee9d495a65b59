from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.store.storefiles import may_be_store, move_aside, remove_store

if TYPE_CHECKING:
    from collections.abc import Callable

SUFFIXES = ("", "-wal", "-shm", "-journal")
STRANGE: dict[str, Callable[[Path], None]] = {
    "link": lambda path: path.symlink_to("precious/file"),
    "link to a folder": lambda path: path.symlink_to("precious"),
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_file_is_no_store_and_can_be_removed(tmp_path: Path, kind: str, suffix: str) -> None:
    store = tmp_path / "telemetry.sqlite"
    assert may_be_store(store)
    store.touch()
    assert may_be_store(store)
    precious = tmp_path / "precious" / "file"
    precious.parent.mkdir()
    precious.write_text("stays")
    place = Path(f"{store}{suffix}")
    place.unlink(missing_ok=True)
    STRANGE[kind](place)
    assert not may_be_store(store)
    remove_store(store)
    assert list(tmp_path.iterdir()) == [precious.parent]
    assert precious.read_text() == "stays"


def test_the_newest_bad_store_is_kept_and_its_logs_are_not(tmp_path: Path) -> None:
    store = tmp_path / "telemetry.sqlite"
    for text in ("first", "second"):
        for suffix in SUFFIXES:
            Path(f"{store}{suffix}").write_text(text)
        move_aside(store)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("telemetry.sqlite.corrupt-2", "second")
    ]


def test_moving_aside_what_is_not_there_is_fine(tmp_path: Path) -> None:
    move_aside(tmp_path / "telemetry.sqlite")
    assert list(tmp_path.iterdir()) == []
