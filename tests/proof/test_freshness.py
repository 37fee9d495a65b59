"""G27: who asks for it reads a run that is going as it was when it asked."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.daemon import turns
from mosaic.runs import freshness
from mosaic.store.glance import glance
from tests.store.journals import make_run
from tests.worker.reading import environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.paths import RunFolder

WORKER = Path(__file__).parents[1] / "workers" / "acknowledges_metrics.py"
POKES = 30


@contextmanager
def recording(folder: RunFolder, home: Path) -> Iterator[subprocess.Popen[str]]:
    """A worker that records without a pause."""
    env = {**environment(home), "MOSAIC_RUN_DIR": str(folder.path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, str(WORKER)], env=env, stdin=pipe, stdout=pipe, text=True
    ) as worker:
        try:
            yield worker
        finally:
            worker.kill()


@contextmanager
def ingesting(folder: RunFolder) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "mosaic.daemon.ingest"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as ingest:
        assert ingest.stdin is not None
        assert ingest.stdout is not None
        ingest.stdin.write(json.dumps({"cmd": "watch", "run_dir": str(folder.path)}) + "\n")
        ingest.stdin.flush()
        ingest.stdout.readline()  # its first turn is over
        try:
            yield ingest
        finally:
            ingest.kill()


def acknowledged(worker: subprocess.Popen[str]) -> int:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write("?")
    worker.stdin.flush()
    return int(worker.stdout.readline())


def stored(folder: RunFolder) -> int:
    found = glance(folder)
    return 0 if found is None else found.metrics


@pytest.mark.timeout(300)
def test_what_was_acknowledged_before_a_poke_is_in_the_store_when_it_is_answered(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    with recording(folder, tmp_path) as worker, ingesting(folder):
        for _ in range(POKES):
            before = acknowledged(worker)
            assert freshness.refresh([folder], timeout_secs=120.0)
            assert stored(folder) >= before


@pytest.mark.timeout(300)
def test_a_lease_brings_turns_that_nobody_pokes_for(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    with recording(folder, tmp_path) as worker, ingesting(folder) as ingest:
        assert ingest.stdout is not None
        acknowledged(worker)
        freshness.keep_fresh(folder, secs=8.0)
        begun: list[int] = []
        while len(begun) < 30 and freshness.wants(folder)[1] > (freshness.stored_nanos(folder) or 0):
            ingest.stdout.readline()  # a turn that found something
            begun.append(freshness.stored_nanos(folder) or 0)
        apart = sorted([later - earlier for earlier, later in pairwise(begun)][-3:])
        assert apart[1] < turns.UNWATCHED_SECS * 1e9 / 2  # of the last: a run that only began has many anyway
