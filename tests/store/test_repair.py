"""Repair: a damaged segment is written anew with its hole, and what it was stays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import StoreError
from mosaic.store.ingest import RunIngest
from mosaic.store.rebuild import rebuild
from mosaic.store.repair import damaged_segments, repair
from mosaic.store.verify import verify
from tests.store.journals import Segments, corrupt, end_run, ingest_all

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder


@pytest.fixture
def sealed(folder: RunFolder) -> Path:
    """The sealed segment of an ended run with 900 KB of journal."""
    worker = Segments(folder)
    for k in range(60):
        worker.episode(k, 100)
    worker.write()
    end_run(folder)
    ingest_all(folder, seal=True, settle=True)
    (path,) = folder.journal.glob("*.zst")
    return path


@pytest.mark.parametrize("how", ["flipped", "cut"])
def test_a_damaged_segment_is_written_anew_with_its_hole(folder: RunFolder, sealed: Path, how: str) -> None:
    data = sealed.read_bytes()
    bad = data[:-40] if how == "cut" else data[:200] + b"????" + data[204:]
    sealed.write_bytes(bad)
    ((segment, aside),) = repair(folder)
    assert segment.path == sealed
    assert aside.read_bytes() == bad
    assert damaged_segments(folder) == []
    assert rebuild(folder).holes >= 1
    assert verify(folder) == []
    (line,) = [json.loads(text) for text in (folder.path / "repairs.jsonl").read_text().splitlines()]
    assert line["kept_as"] == aside.name
    assert line["damage"][0]["offset"] == segment.damage[0].offset
    aside.replace(sealed)  # undone
    assert [each.damage for each in damaged_segments(folder)] == [segment.damage]


def test_a_whole_run_is_left_alone(folder: RunFolder, sealed: Path) -> None:
    before = sealed.read_bytes()
    assert repair(folder) == []
    assert sealed.read_bytes() == before
    assert not (folder.path / "repairs.jsonl").exists()


def test_a_run_that_is_being_ingested_is_left_alone(folder: RunFolder, sealed: Path) -> None:
    corrupt(sealed, lambda data: data.__setitem__(slice(200, 204), b"????"))
    with RunIngest(folder), pytest.raises(StoreError, match="being ingested"):
        repair(folder)
    assert len(damaged_segments(folder)) == 1


def test_what_is_not_sealed_yet_is_never_taken_for_damage(folder: RunFolder, sealed: Path) -> None:
    later = Segments(folder, producer="p4343x0123abcd")
    later.episode(0, 3)
    later.write()
    folder.stdout.write_bytes(b"no event at all\n")
    (plain,) = folder.journal.glob("*.jsonl")
    before = plain.read_bytes()
    assert damaged_segments(folder) == []
    corrupt(sealed, lambda data: data.__setitem__(slice(200, 204), b"????"))
    assert [segment.path for segment, _ in repair(folder)] == [sealed]
    assert plain.read_bytes() == before
