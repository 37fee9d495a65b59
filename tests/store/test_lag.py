"""Lag: what is in the journal and not yet in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.store.lag import Lag, lag
from tests.store.journals import Segments, end_run, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def test_without_a_store_everything_is_behind(folder: RunFolder) -> None:
    assert lag(folder) == Lag(0, 0)
    worker = Segments(folder)
    worker.episode(0, 5)
    size = len(worker.pending)
    worker.write(live=True)
    assert lag(folder) == Lag(size, 8)
    worker.die()


def test_what_was_ingested_and_sealed_is_not_behind(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 5)
    worker.write()
    folder.stdout.write_text('hello\n{"type":"log","text":"x"}\n')
    end_run(folder)
    assert lag(folder).events == 9
    ingest_all(folder, seal=True, settle=True)
    assert lag(folder) == Lag(0, 0)
