"""What is not a regular file in the place of a store, or of its logs, is refused with the reason."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import StoreError
from mosaic.store import schema
from mosaic.store.registry import read_entries
from mosaic_worker.common.opening import BadFileError
from tests.store.journals import Segments, ingest_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
