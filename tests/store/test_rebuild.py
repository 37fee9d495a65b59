"""Rebuilding: the same store again, from plain and sealed journals, without readers noticing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from mosaic.errors import StoreError
from mosaic.store.ingest import RunIngest
from mosaic.store.reader import StoreReader
from mosaic.store.rebuild import Rebuild, rebuild
from mosaic.store.verify import verify
from tests.store.journals import Segments, end_run, ingest_all, quarantined

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def contents(folder: RunFolder) -> list[Any]:
    with StoreReader(folder) as reader:
        rows = reader.episodes()
        steps = [[msgspec.to_builtins(step) for step in reader.steps(row.index)] for row in rows]
        return [
            [(row.index, row.episode_id, row.steps, row.return_) for row in rows],
            steps,
            reader.metrics(),
        ]


@pytest.mark.parametrize("sealed", [False, True])
def test_a_rebuilt_store_says_the_same(folder: RunFolder, sealed: bool) -> None:
    worker = Segments(folder)
    for k in range(60):
        worker.episode(k, 7)
        if k % 25 == 0:
            worker.write()
    worker.add({"type": "metric", "name": "m", "value": 1})
    worker.raw(b"odd\n")
    worker.write()
    end_run(folder)
    ingest_all(folder, seal=sealed, settle=True)
    before = contents(folder)
    summary = rebuild(folder)
    assert (summary.steps, summary.quarantined) == (420, 1)
    assert contents(folder) == before
    assert verify(folder) == []
    assert [line for *_, line in quarantined(folder)] == [b"odd"]
    assert {path.name for path in folder.path.glob("telemetry*")} <= {
        "telemetry.sqlite",
        "telemetry.sqlite-wal",
        "telemetry.sqlite-shm",
    }


def test_a_rebuild_of_a_live_run_is_gone_on_with(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 5, close=False)
    worker.write(live=True)
    ingest_all(folder)
    assert rebuild(folder).steps == 5
    worker.add({"type": "step", "episode_id": f"{worker.producer}.0.0", "step": 5})
    worker.append_live()
    assert ingest_all(folder).steps == 6
    worker.die()
    assert verify(folder) == []


def test_a_rebuild_waits_for_nobody(folder: RunFolder) -> None:
    with RunIngest(folder), pytest.raises(StoreError, match="another process"):
        rebuild(folder)


def test_an_unfinished_rebuild_leaves_the_store_as_it_was(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(60):
        worker.episode(k, 20)
    worker.write()
    ingest_all(folder)
    before = contents(folder)
    work = Rebuild(folder, turn_bytes=1000)
    assert work.turn() is None
    work.close()
    assert contents(folder) == before
    assert rebuild(folder).episodes == 60


def test_a_missing_store_is_rebuilt(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 20)
    worker.write()
    assert rebuild(folder).steps == 20
    assert verify(folder) == []
