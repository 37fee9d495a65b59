"""quarantine.jsonl: verbatim, once, with place and reason."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING

from mosaic.store import ledger
from mosaic.store.ingest import RunIngest
from mosaic.store.quarantine import write_out
from mosaic.store.quotas import Quotas
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.store.journals import Segments, end_run, ingest_all, quarantined

if TYPE_CHECKING:
    import pytest

    from mosaic.paths import RunFolder


def test_each_line_is_there_with_its_place_and_reason(folder: RunFolder) -> None:
    worker = Segments(folder)
    place = len(worker.pending)
    worker.raw(b"\xff\xfe not utf-8\n[1, 2]\n")
    worker.write()
    ingest_all(folder)
    rows = [json.loads(line) for line in folder.quarantine.read_text().splitlines()]
    assert [(row["source"], row["offset"], row["length"]) for row in rows] == [
        (f"{worker.producer}-0000.jsonl", place, 12),
        (f"{worker.producer}-0000.jsonl", place + 13, 6),
    ]
    assert "UTF-8" in rows[0]["reason"]
    assert "object" in rows[1]["reason"]
    assert folder.quarantine.stat().st_mode & 0o777 == 0o600
    with StoreReader(folder) as reader:
        assert [row.line_b64 for row in reader.quarantine()] == [row["line_b64"] for row in rows]


def test_a_long_line_is_copied_from_its_source_even_when_that_is_sealed(folder: RunFolder) -> None:
    worker = Segments(folder)
    line = b"<" + bytes(range(32, 127)) * 2000 + b">"
    worker.raw(line + b"\n")
    worker.write()
    end_run(folder)
    ingest_all(folder, seal=True, settle=True)
    folder.quarantine.unlink()
    ingest_all(folder)
    assert [kept for *_, kept in quarantined(folder)] == [line]


def test_many_lines_are_written_in_order(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(500):
        worker.raw(b"odd %d\n" % k)
    worker.write()
    assert ingest_all(folder, turn_bytes=500).quarantined == 500
    assert [line for *_, line in quarantined(folder)] == [b"odd %d" % k for k in range(500)]


def test_a_full_quarantine_counts_on_says_so_once_and_keeps_the_places(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Segments(folder)
    for k in range(300):
        worker.raw(b"odd %05d\n" % k)
    worker.episode(0, 5)
    worker.write()
    monkeypatch.setattr(ledger, "_KEPT_BYTES", 900)
    end_run(folder)
    with RunIngest(folder, turn_bytes=500, quotas=Quotas(quarantine_bytes=5_000)) as ingest:
        while not ingest.settle():
            ingest.turn()
        summary = ingest.summary()
    assert (summary.quarantined, summary.steps) == (300, 5)
    assert ["quarantine.jsonl is full" in text for text in summary.warnings] == [True]
    assert 5_000 <= folder.quarantine.stat().st_size < 5_200
    assert [line for *_, line in quarantined(folder)][:3] == [b"odd 00000", b"odd 00001", b"odd 00002"]
    with StoreReader(folder) as reader:
        rows = reader.quarantine(limit=1000)
    assert (len(rows), sum(1 for row in rows if row.line_b64)) == (300, 100)
    assert verify(folder) == []


def test_a_line_of_which_only_the_beginning_is_kept_says_how_much(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Segments(folder)
    worker.raw(b"x" * 200_000 + b"\n")
    worker.write()
    limited = functools.partial(write_out, line_bytes=100_000)
    monkeypatch.setattr("mosaic.store.quarantine.write_out", limited)
    ingest_all(folder)
    (row,) = [json.loads(line) for line in folder.quarantine.read_text().splitlines()]
    assert (row["length"], row["kept_bytes"]) == (200_000, 100_000)
    assert [len(line) for *_, line in quarantined(folder)] == [100_000]
