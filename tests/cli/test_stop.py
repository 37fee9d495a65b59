"""`mosaic stop`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from mosaic.app import run_index
from mosaic.protocol.runs import ProcRecord, RunState
from mosaic.runs.files import read_json
from mosaic.runs.folder import ended
from mosaic.sdk.connection import Connection
from tests.cli.asking import in_state
from tests.daemons import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


def test_stop_waits_until_the_run_is_gone(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    run = Connection(root).run(["sleep", "60"], name="sleeper")
    in_state(run, "running")
    said = mosaic("stop", "sleeper")
    assert said.code == 0
    assert said.out.startswith(f"run {run.id} stopped")
    assert run.state == "stopped"
    again = mosaic("stop", "sleeper")
    assert again.code == 0
    assert "ended already" in again.err


@pytest.mark.parametrize("names", [["shim.lock"], ["shim.lock", "tree.lock"]])
def test_a_live_run_whose_lock_was_replaced_is_not_called_lost_and_is_stopped(
    root: DataRoot, mosaic: Callable[..., Said], names: list[str]
) -> None:
    run = Connection(root).run(["sleep", "60"], name="sleeper")
    in_state(run, "running")
    folder = root.run(run.id)
    worker = read_json(folder.proc, ProcRecord)
    assert worker is not None
    assert worker.worker_pid is not None
    for name in names:
        (folder.path / name).unlink()
        (folder.path / name).touch(mode=0o600)
    assert run_index.row_of(root, run.id).state is RunState.UNREADABLE
    assert "somebody replaced it" in run_index.row_of(root, run.id).reason
    assert not ended(folder), "so ingest goes on with it"
    said = mosaic("stop", "sleeper")
    assert (said.code, said.out.startswith(f"run {run.id} stopped")) == (0, True)
    assert not psutil.pid_exists(worker.worker_pid)


def test_stop_waits_for_a_run_that_is_unreadable_too(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    stubborn = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print(1); time.sleep(60)"
    run = Connection(root).run([sys.executable, "-c", stubborn], name="sleeper")
    in_state(run, "running")
    until(lambda: run.logs() == "1\n")
    folder = root.run(run.id)
    proc = read_json(folder.proc, ProcRecord)
    assert proc is not None
    assert proc.worker_pid is not None
    folder.manifest.write_bytes(b"no manifest")
    said = mosaic("stop", run.id)
    assert said.code == 0
    assert not psutil.pid_exists(proc.worker_pid)
