"""Sealing: at every instant the original or a complete copy exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import zstandard

from mosaic.runs.files import sync_folder
from mosaic.store import seal
from mosaic.store.sources import list_sources
from mosaic.store.verify import verify
from tests.store.journals import PRODUCER, Segments, end_run, ingest_all

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder


def names(folder: RunFolder) -> list[str]:
    return sorted(path.name for path in folder.journal.iterdir() if path.name != "episodes.order")


def unpacked(path: Path) -> bytes:
    with path.open("rb") as file:
        return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()


def test_a_sealed_segment_holds_the_lines_and_not_the_padding(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 20)
    lines = worker.pending
    worker.write(live=True)
    worker.die()
    ingest_all(folder, seal=True)
    assert names(folder) == [f"{PRODUCER}-0000.jsonl.zst"]
    assert unpacked(folder.journal / names(folder)[0]) == lines
    assert (folder.journal / names(folder)[0]).stat().st_mode & 0o777 == 0o600


def test_a_live_segment_is_never_sealed(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.write(live=True)
    ingest_all(folder, seal=True)
    assert names(folder) == [f"{PRODUCER}-0000.jsonl"]
    worker.die()


def test_a_store_that_fell_back_goes_on_in_the_sealed_segment(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(30):
        worker.episode(k, 10)
    worker.write()
    ingest_all(folder, turn_bytes=1)  # one block: nothing is sealed
    copy = folder.store.read_bytes()
    for k in range(30, 60):
        worker.episode(k, 10)
    worker.write()
    end_run(folder)
    ingest_all(folder, seal=True, settle=True)
    folder.store.write_bytes(copy)
    summary = ingest_all(folder, seal=True, settle=True)
    assert summary.warnings == []
    assert summary.steps == 600
    assert verify(folder) == []


@pytest.mark.parametrize("complete", [False, True])
def test_what_a_killed_sealing_left_is_cleared_up(folder: RunFolder, complete: bool) -> None:
    worker = Segments(folder)
    worker.episode(0, 20)
    path = worker.write()
    data = zstandard.ZstdCompressor().compress(path.read_bytes())
    if complete:
        path.with_name(f"{path.name}.zst").write_bytes(data)
    else:
        path.with_name(f".{path.name}.zst.tmp").write_bytes(data[: len(data) // 2])
    summary = ingest_all(folder, seal=True)
    assert summary.steps == 20
    assert names(folder) == [f"{path.name}.zst"]
    assert verify(folder) == []


def test_the_sealed_name_is_on_disk_before_sweeping_drops_the_original(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Segments(folder)
    worker.episode(0, 20)
    original = worker.write()
    data = zstandard.ZstdCompressor().compress(original.read_bytes())
    original.with_name(f"{original.name}.zst").write_bytes(data)
    there_when_synced: list[bool] = []

    def watched(path: Path) -> None:
        there_when_synced.append(original.exists())
        sync_folder(path)

    monkeypatch.setattr(seal, "sync_folder", watched)
    seal.sweep(folder)
    assert there_when_synced == [True]
    assert not original.exists()


def test_sweeping_a_run_without_a_journal_does_nothing(folder: RunFolder) -> None:
    folder.journal.rmdir()
    seal.sweep(folder)


def test_a_segment_shorter_than_its_cursor_is_not_sealed(folder: RunFolder) -> None:
    Segments(folder).write()
    (source,) = list_sources(folder)
    size = source.path.stat().st_size
    with pytest.raises(OSError, match="ended at"):
        seal.seal(source, length=size + 1)
    assert source.path.exists()
