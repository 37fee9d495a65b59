"""Lag: what is in the journal and not yet in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.store import sources
from mosaic.store.lag import Lag, lag
from tests.store.journals import Segments, end_run, ingest_all

if TYPE_CHECKING:
    import pytest

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


def test_a_segment_that_was_sealed_since_it_was_listed_is_not_behind(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Segments(folder)
    worker.episode(0, 5)
    worker.write()
    listed = sources.list_sources(folder)
    for source in listed:
        source.path.unlink()
    monkeypatch.setattr("mosaic.store.lag.list_sources", lambda _: listed)
    assert lag(folder) == Lag(0, 0)
