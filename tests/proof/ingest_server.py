"""Runs jobs of ingest, and saves of checkpoints, in forked children: a kill costs no start of an interpreter.

On stdin, a job a line: `{"job": "ingest"|"rebuild"|"dump"|"save", "run": PATH, "held": bool}`. The child's
pid is the first line of the answer. A held child waits for a line `go`, so that a tracer can attach. The
second line of the answer is the child's wait status.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

import mosaic_worker
from mosaic.paths import RunFolder
from mosaic.store.reader import StoreReader
from mosaic.store.rebuild import Rebuild
from mosaic_worker.drivers import tabular
from mosaic_worker.drivers.kit.saving import Saver
from mosaic_worker.recorder import Recorder
from tests.proof import oracle

SAVES = [(1, "cadence"), (1, "best"), (2, "cadence"), (2, "best"), (2, "best"), (3, "cadence"), (3, "final")]
TURN_BYTES = 2 << 10  # many small commits


def dump(folder: RunFolder) -> dict[str, Any]:
    """Everything a run's folder says to its readers, in a form that can be compared."""
    with StoreReader(folder) as reader:
        episodes = reader.episodes()
        return {
            "stream": [repr(row) for row in oracle.stored_stream(reader)],
            "episodes": [repr(row) for row in episodes],
            "resets": [reader.reset(row.index) for row in episodes],
            "returns": [array.tolist() for array in _arrays(reader.returns())],
            "quarantine": [repr(row) for row in reader.quarantine(limit=1 << 30)],
            "holes": reader.holes(),
            "cursors": reader.cursors(),
            "warnings": reader.summary().warnings,
            "summary": repr(structs.replace(reader.summary(), warnings=[], warned=0)),
            "quarantine.jsonl": folder.quarantine.read_text(),
            "episodes.order": folder.order.read_text(),
            "journal": sorted(path.name for path in folder.journal.iterdir()),
            "files": sorted(path.name for path in folder.path.iterdir()),
        }


def _arrays(curve: Any) -> list[Any]:
    return [getattr(curve, name) for name in ("index", "t_end", "return_", "steps")]


def work(job: str, folder: RunFolder) -> None:
    if job == "ingest":
        oracle.ingest_all(folder, turn_bytes=TURN_BYTES)
    elif job == "rebuild":
        again = Rebuild(folder, turn_bytes=TURN_BYTES)
        while again.turn() is None:
            continue
        again.close()
    elif job == "save":
        save(folder)
    elif job == "dump":
        folder.path.with_suffix(".json").write_text(json.dumps(dump(folder), indent=1))


def save(folder: RunFolder) -> None:
    """Checkpoints as the tabular driver saves them: on cadence, best ones, and two of the same name."""
    os.environ["MOSAIC_RUN_DIR"] = str(folder.path)
    mosaic_worker._current = recorder = Recorder(str(folder.path), segment_bytes=1 << 16)
    saver = Saver(suffix=".npz", kind="tabular", about={"runner": "tabular"}, keep_last=2)
    for number, (step, reason) in enumerate(SAVES):
        values = np.full((16, 4), float(number))
        table = tabular.Table(values, np.random.default_rng(0), first_observation=0, first_action=0)
        saver.save(tabular.writer(table, tabular.State(step=step)), step=step, reason=reason)
    recorder.close()


def in_child(job: dict[str, Any], gate: int) -> None:
    code = 1
    try:
        if job.get("held"):
            os.read(gate, 1)
        work(job["job"], RunFolder(Path(job["run"])))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def main() -> None:
    for line in sys.stdin:
        job = json.loads(line)
        gate, release = os.pipe()
        pid = os.fork()
        if pid == 0:
            in_child(job, gate)
        print(pid, flush=True)
        if job.get("held"):
            assert sys.stdin.readline() == "go\n"
            os.write(release, b"x")
        _, status = os.waitpid(pid, 0)
        os.close(gate)
        os.close(release)
        print(status, flush=True)


if __name__ == "__main__":
    main()
