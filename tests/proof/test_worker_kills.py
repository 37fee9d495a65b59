"""G1, G3: kill -9 of recording workers at random instants loses and doubles nothing that was acknowledged.

The oracle is the worker's own list of what it was told to be recorded, written after each call returned.
Segments are as small as can be, so that many kills fall into a change of segment; ingest runs all the
while.
"""

from __future__ import annotations

import io
import mmap
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mosaic_worker
from mosaic.paths import RunFolder
from mosaic.store.ingest import RunIngest
from mosaic_worker import segment
from mosaic_worker.common import ofd
from mosaic_worker.journal import Journal
from tests.proof import oracle

WORKER = Path(__file__).parents[1] / "workers" / "acknowledges.py"
KILLS_A_RUN = 10
SMALLEST_SEGMENT_MIB = 1 / 16


class Watched:
    """A module, of which some functions let ingest look first."""

    def __init__(self, module: Any, names: tuple[str, ...], ingest: RunIngest) -> None:
        self._module, self._names, self._ingest = module, names, ingest

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            self._ingest.turn()
        return getattr(self._module, name)


def start(folder: RunFolder, acks: Path, how: str) -> subprocess.Popen[bytes]:
    env = {
        "PYTHONPATH": str(Path(mosaic_worker.__file__).parents[1]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "MOSAIC_RUN_DIR": str(folder.path),
        "MOSAIC_RECORD": f'{{"segment_mib": {SMALLEST_SEGMENT_MIB}}}',
    }
    return subprocess.Popen(
        [sys.executable, "-S", str(WORKER), str(acks), how], env=env, start_new_session=True
    )


def kill_somewhere(folder: RunFolder, acks: Path, how: str, ingest: RunIngest, chance: random.Random) -> None:
    """Let a worker run for some milliseconds, ingesting now and then, and end it and all it forked."""
    worker = start(folder, acks, how)
    try:
        while not acks.exists() and worker.poll() is None:
            time.sleep(0.001)
        until = time.monotonic() + chance.uniform(0.0, 0.004)
        while time.monotonic() < until:
            if chance.random() < 0.1:
                ingest.turn()
            time.sleep(0.0005)
        assert worker.poll() is None, "the worker died by itself"
    finally:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


def acknowledged(acks: Path) -> set[tuple[str, str, int]]:
    found = set()
    for path in acks.parent.glob(acks.name + "*"):
        for line in path.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                kind, who, number = line.split()
                found.add((kind, who, int(number)))
    return found


def recorded(told: oracle.Told) -> set[tuple[str, str, int]]:
    found = set()
    for producer, events in told.events.items():
        for event in events:
            found.add(("seq", producer, event["seq"]))
            if event["type"] == "step":
                found.add(("step", event["episode_id"], event["step"]))
    return found


@pytest.mark.parametrize(
    "kills", [10, pytest.param(220, marks=[pytest.mark.heavy, pytest.mark.timeout(300)])]
)
def test_what_a_killed_worker_was_told_to_be_recorded_is_in_the_journal_and_once_in_the_store(
    kills: int, tmp_path: Path
) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    total = segments = 0
    for run in range(kills // KILLS_A_RUN):
        folder = oracle.new_run(tmp_path / f"run{run}")
        claims: set[tuple[str, str, int]] = set()
        with RunIngest(folder, turn_bytes=64 << 10) as ingest:
            for kill in range(KILLS_A_RUN):
                acks = tmp_path / f"acks-{run}-{kill}"
                how = ("metrics", "steps", "threads", "tree")[(run + kill) % 4]
                kill_somewhere(folder, acks, how, ingest, chance)
                claims |= acknowledged(acks)
        oracle.end_run(folder)
        told = oracle.read_journal(folder)
        missing = claims - recorded(told)
        assert not missing, f"seed {seed}: acknowledged and gone: {sorted(missing)[:5]}"
        for producer in told.events:
            assert told.seqs(producer) == set(range(len(told.events[producer]))), f"seed {seed}: {producer}"
        segments += sum(map(len, oracle.segments(folder).values()))
        oracle.ingest_all(folder)
        summary = oracle.assert_stored(folder, told)
        # A line cut short while being copied was never acknowledged; parts of it may be there, holes between.
        assert summary.holes <= len(told.odd) <= KILLS_A_RUN, f"seed {seed}: holes where nothing was lost"
        total += len(claims)
    print(f"{kills} kills, {total} acknowledged, {segments} segments")
    assert total > kills * 10, "the workers were killed before they did anything: this proves nothing"
    assert segments > kills, "no change of segment was ever met"


def test_ingest_looking_at_every_instant_of_a_segments_life_takes_nothing_too_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ingest takes a turn before each call by which a segment is named, locked, sized, cut and let go."""
    folder = oracle.new_run(tmp_path / "run")
    with RunIngest(folder) as ingest:

        class WatchedFile(io.FileIO):
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                ingest.turn()
                super().__init__(*args, **kwargs)

            def close(self) -> None:
                ingest.turn()
                super().close()

        monkeypatch.setattr(segment, "io", SimpleNamespace(FileIO=WatchedFile))
        for owner, names in ((ofd, ("take",)), (mmap, ("mmap",)), (os, ("posix_fallocate", "ftruncate"))):
            monkeypatch.setattr(segment, owner.__name__.rpartition(".")[2], Watched(owner, names, ingest))
        journal = Journal(str(folder.journal), segment_bytes=1 << 16)
        for number in range(400):
            journal.append(b'{"type":"log","text":"%b%d"' % (b"x" * 400, number))
        journal.close()
    oracle.end_run(folder)
    told = oracle.read_journal(folder)
    assert told.count == 400
    oracle.ingest_all(folder)
    oracle.assert_stored(folder, told)
