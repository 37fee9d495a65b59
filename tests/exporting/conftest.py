"""A store made by the real ingest from a journal written by hand."""

from __future__ import annotations

import base64
import json
import struct
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ulid import ULID

from mosaic.paths import DataRoot
from mosaic.protocol.runs import ExitRecord, RunSpec
from mosaic.runs.files import write_json
from mosaic.runs.folder import create
from mosaic.store.ingest import RunIngest
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ARRAY = {"nd": "<f4", "shape": [2], "b64": base64.b64encode(struct.pack("<2f", 0.5, float("nan"))).decode()}


def parquet_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file. Read from memory: Arrow's own threads let go of a file some time after the read."""
    rows: list[dict[str, Any]] = pq.read_table(pa.BufferReader(path.read_bytes())).to_pylist()
    return rows


@pytest.fixture
def reader(home: Path) -> Iterator[StoreReader]:
    """Two episodes (one still open), four metrics and three lines of log."""
    folder = create(DataRoot(home), RunSpec(run_id=str(ULID()), command=["true"], cwd="/"), created=1.0)
    lines: list[dict[str, object]] = [
        {"type": "hello", "protocol": 1, "producer": "p1xabcdef01", "t": 1.0},
        {"type": "reset", "episode_id": "a", "seed": 7, "t": 2.0},
        {"type": "step", "episode_id": "a", "step": 0, "action": 1, "reward": 1.5, "obs": ARRAY, "t": 3.0},
        {"type": "step", "episode_id": "a", "step": 1, "action": [0, {"x": None}], "reward": -0.0, "t": 4.0},
        {
            "type": "episode",
            "episode_id": "a",
            "steps": 2,
            "return": 1.5,
            "outcome": "terminated",
            "t_end": 4.0,
        },
        {"type": "reset", "episode_id": "b", "t": 5.0},
        {"type": "step", "episode_id": "b", "step": 0, "action": 'left,\n"up"', "reward": "NaN", "t": 6.0},
    ]
    for value in (0.1, "NaN", "-Infinity", 1e300):
        lines.append({"type": "metric", "name": "loss", "value": value, "t": 7.0})
    lines += [{"type": "log", "text": str(k)} for k in range(3)]
    text = "".join(json.dumps({**line, "seq": number}) + "\n" for number, line in enumerate(lines))
    (folder.journal / "p1xabcdef01-0000.jsonl").write_text(text)
    folder.shim_lock.touch()
    write_json(folder.exit, ExitRecord(code=0, t=8.0))
    with RunIngest(folder) as ingest:
        while not ingest.settle():
            ingest.turn()
    with StoreReader(folder) as opened:
        yield opened
