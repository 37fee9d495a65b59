"""How long `mosaic ls` takes with 1,000 runs, interpreter start included, beside a bare interpreter."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ulid import ULID

from mosaic.paths import DataRoot
from mosaic.protocol.runs import ExitRecord, RunRow, RunSpec, RunState
from mosaic.runs import files, folder
from mosaic.store.registry import Entry, Registry


def _fill(root: DataRoot, *, runs: int) -> None:
    """A data root with that many ended runs, as the daemon leaves it."""
    files.make_private(root.runs)
    entries = []
    for number in range(runs):
        created = 1.7e9 + number
        command = ["python", "train.py", "--seed", str(number)]
        spec = RunSpec(run_id=str(ULID()), command=command, cwd="/", name=f"run-{number}")
        made = folder.create(root, spec, created=created)
        ended = ExitRecord(code=0, t=created + 60)
        files.write_json(made.exit, ended, synced=False)
        row = RunRow(
            run_id=spec.run_id,
            name=spec.name,
            state=RunState.FINISHED,
            reason="exit code 0",
            created=created,
            command=command,
            exit=ended,
            started=created,
            ended=created + 60,
            episodes=number,
            steps=number * 100,
            last_return=float(number),
        )
        entries.append(Entry(row, settled=True))
    registry = Registry(root)
    registry.put(entries)
    registry.close()


def _median_millis(command: list[str], environment: dict[str, str], *, times: int) -> float:
    taken = []
    for _ in range(times + 1):
        began = time.perf_counter()
        subprocess.run(
            command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        taken.append((time.perf_counter() - began) * 1e3)
    return statistics.median(taken[1:])  # the first one warms the caches


def measure(*, runs: int = 1000, times: int = 15) -> dict[str, float]:
    """Milliseconds of `mosaic ls --all`, of the default listing, and of a bare interpreter."""
    with tempfile.TemporaryDirectory() as path:
        root = DataRoot(Path(path) / "home")
        files.make_private(root.path)
        _fill(root, runs=runs)
        environment = {**os.environ, "MOSAIC_HOME": str(root.path)}
        mosaic = str(Path(sys.executable).with_name("mosaic"))
        return {
            "ls_millis": _median_millis([mosaic, "ls"], environment, times=times),
            "ls_all_millis": _median_millis([mosaic, "ls", "--all"], environment, times=times),
            "bare_python_millis": _median_millis([sys.executable, "-c", "pass"], environment, times=times),
        }


if __name__ == "__main__":
    print(measure())
