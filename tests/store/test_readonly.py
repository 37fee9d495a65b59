"""Stores that are only read: what is no regular file is refused, and a copy is of one moment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import StoreError
from mosaic.store import readonly, schema
from mosaic.store.registry import read_entries
from mosaic_worker.common.opening import BadFileError
from tests.store.journals import Segments, ingest_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import RunFolder

KINDS: dict[str, tuple[Callable[[Path], None], str]] = {
    "link": (lambda path: path.symlink_to("/etc/passwd"), "a link"),
    "pipe": (os.mkfifo, "a named pipe"),
    "folder": (lambda path: path.mkdir(), "a folder"),
}


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_connection_follows_or_waits_for_what_lies_in_a_stores_place(
    folder: RunFolder, kind: str, suffix: str
) -> None:
    worker = Segments(folder)
    worker.episode(0, 3)
    worker.write()
    ingest_all(folder)
    put, words = KINDS[kind]
    place = folder.store.with_name(folder.store.name + suffix)
    place.unlink(missing_ok=True)
    put(place)
    with pytest.raises(StoreError, match=f"{words} where a file should be"):
        schema.open_reader(folder.store)
    with pytest.raises(BadFileError, match=f"{words} where a file should be"):
        schema.open_writer(folder.store)
    assert read_entries(folder.store) == []


def test_a_store_that_changes_while_it_is_copied_is_copied_again(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_all(folder)
    copy, copied = readonly._copy, []

    def copy_and_write(source: str, target: str) -> None:
        copy(source, target)
        copied.append(Path(source).name)
        if len(copied) == 1:  # the log grows when the database has just been copied
            db.execute("CREATE TABLE later (x)")

    monkeypatch.setattr(readonly, "_copy", copy_and_write)
    db = schema.open_writer(folder.store)
    try:
        db.execute("CREATE TABLE sooner (x)")
        readonly._from_copy(folder.store, None).close()
    finally:
        db.close()
    name = folder.store.name
    assert copied == [name, f"{name}-wal"] * 2
