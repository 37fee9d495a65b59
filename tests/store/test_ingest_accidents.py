"""Ingest after accidents: indexes stay, and a store that is damaged, lost or ahead is made anew."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.store.ingest import RunIngest
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.store.journals import PRODUCER, Segments, corrupt, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def test_an_index_once_given_stays(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(30):
        worker.episode(k, 2)
    worker.write()
    ingest_all(folder)
    other = Segments(folder, producer="p1x00000000")
    other.episode(0, 2)
    other.write()  # comes before the first producer by name
    ingest_all(folder)
    with StoreReader(folder) as reader:
        before = [(row.index, row.episode_id) for row in reader.episodes()]
    folder.store.unlink()
    summary = ingest_all(folder)
    with StoreReader(folder) as reader:
        assert [(row.index, row.episode_id) for row in reader.episodes()] == before
    assert summary.warnings == ["the store was missing and was rebuilt from the journal"]


def test_indexes_promised_by_a_killed_ingest_are_kept(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 2)
    worker.write()
    ingest_all(folder)
    with folder.order.open("ab") as file:
        file.write(b'"never-seen"\n"' + f"{PRODUCER}.0.1".encode() + b'"\n"torn')
    worker.episode(1, 2)
    worker.episode(2, 2)
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert [row.index for row in reader.episodes()] == [0, 2, 3]
    assert verify(folder) == []


def test_a_lost_order_file_is_written_again(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(3):
        worker.episode(k, 2)
    worker.write()
    ingest_all(folder)
    kept = folder.order.read_bytes()
    folder.order.unlink()
    ingest_all(folder)
    assert folder.order.read_bytes() == kept


def _flip(path: Path, place: int) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 4]))


def _damage_header(data: bytearray) -> None:
    data[:50] = b"\xaa" * 50


def _damage_middle(data: bytearray) -> None:
    for place in range(5000, len(data), 4096):
        data[place] ^= 0xFF


def _cut(data: bytearray) -> None:
    del data[len(data) // 2 :]


@pytest.mark.parametrize("change", [_damage_header, _damage_middle, _cut])
def test_a_damaged_store_is_made_anew_and_said_so(folder: RunFolder, change: object) -> None:
    worker = Segments(folder)
    for k in range(100):
        worker.episode(k, 30)
    worker.write()
    ingest_all(folder)
    corrupt(folder.store, change)  # type: ignore[arg-type]
    summary = ingest_all(folder)
    assert summary.steps == 3000
    assert "rebuilt from the journal" in summary.warnings[0]
    assert verify(folder) == []
    corrupt(folder.store, change)  # type: ignore[arg-type]
    ingest_all(folder)
    assert [path.name for path in folder.path.glob("*.corrupt-*")] == ["telemetry.sqlite.corrupt-2"]


def test_one_flipped_bit_in_any_page_is_noticed(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(20):
        worker.episode(k, 10)
    worker.add(*[{"type": "metric", "name": "m", "value": k} for k in range(500)])
    worker.write()
    ingest_all(folder)
    pages = folder.store.stat().st_size // 2048
    for page in range(1, pages, max(1, pages // 12)):
        _flip(folder.store, page * 2048 + 1000)
        assert "rebuilt" in ingest_all(folder).warnings[0]
        assert verify(folder) == []


def test_a_store_removed_under_a_running_ingest_is_made_anew(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 5)
    worker.write()
    with RunIngest(folder, seal=False) as ingest:
        ingest.turn()
        for name in ("telemetry.sqlite", "telemetry.sqlite-wal", "telemetry.sqlite-shm"):
            (folder.path / name).unlink()
        worker.episode(1, 5)
        worker.write()
        while ingest.turn().advanced:
            pass
        assert ingest.summary().steps == 10
    assert verify(folder) == []


def test_a_lost_write_ahead_log_is_ingested_again(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 5)
    worker.write()
    with RunIngest(folder, seal=False) as ingest:
        ingest.turn()
        copy = folder.store.read_bytes()  # what is checkpointed: nothing or little
    folder.store.write_bytes(copy)
    for suffix in ("-wal", "-shm"):
        folder.store.with_name(folder.store.name + suffix).unlink(missing_ok=True)
    assert ingest_all(folder).steps == 5
    assert verify(folder) == []


def test_a_store_ahead_of_its_journal_is_made_anew(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 5)
    path = worker.write()
    ingest_all(folder)
    data = path.read_bytes()
    path.write_bytes(
        data[: data.rstrip(b"\n").rfind(b"\n") + 1]
    )  # power loss: the last line never got to the disk
    summary = ingest_all(folder)
    assert summary.store_seq == worker.seq - 1
    assert "ahead of its journal" in summary.warnings[0]
    assert verify(folder) == []


def test_a_page_of_the_journal_lost_with_the_power_is_noticed_after_the_restart(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Segments(folder)
    for k in range(50):
        worker.episode(k, 5)
    path = worker.write()
    ingest_all(folder)
    corrupt(path, lambda data: data.__setitem__(slice(4096, 8192), b"\0" * 4096))
    assert ingest_all(folder).warnings == []  # the same boot: nobody but a power loss does that
    monkeypatch.setattr("mosaic.store.ingest._boot_id", lambda: "another boot")
    summary = ingest_all(folder)
    assert "lost lines that had been read" in summary.warnings[0]
    assert summary.holes == 1
    assert verify(folder) == []


def test_a_segment_that_vanished_is_noticed_and_the_store_made_anew(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 5)
    kept = worker.write()
    worker.episode(1, 7)
    worker.write().unlink()
    assert ingest_all(folder).steps == 5
    lost = worker.path
    worker.episode(2, 9)
    worker.write()
    assert ingest_all(folder).steps == 14
    lost.unlink()
    summary = ingest_all(folder)
    assert summary.steps == 5
    assert f"ahead of its journal ({lost.name} is gone)" in summary.warnings[0]
    assert kept.exists()
    assert verify(folder) == []


def test_a_journal_folder_that_ingest_makes_is_the_users_alone(folder: RunFolder) -> None:
    folder.journal.rmdir()
    before = os.umask(0)
    try:
        with RunIngest(folder):
            assert folder.journal.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)
