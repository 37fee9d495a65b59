"""quarantine.jsonl: verbatim, once, with place and reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mosaic.store.reader import StoreReader
from tests.store.journals import Segments, end_run, ingest_all, quarantined

if TYPE_CHECKING:
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
