from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mosaic.daemon.places.local.launcher import Launcher
from mosaic.errors import LaunchError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec, RunState, Want
from mosaic.runs import folder as runs
from mosaic.runs.locks import Lock, held
from tests.daemon.keeping import RUN_ID, order, state, until, worker

if TYPE_CHECKING:
    from pathlib import Path


def test_a_run_is_never_without_a_holder_from_before_its_shim_starts(home: Path, tmp_path: Path) -> None:
    launcher = Launcher()
    command = worker("sleeps", tmp_path / "ready")
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=command, cwd="/"), created=0.0)
    with Lock(folder.shim_lock) as lock:
        assert state(folder) is RunState.QUEUED
        launcher.spawn(folder, dict(os.environ), lock)
    assert held(folder.shim_lock)
    assert state(folder) is RunState.QUEUED
    order(folder, Want.RUN)
    until((tmp_path / "ready").exists)
    order(folder, Want.STOP)
    until(lambda: not held(folder.shim_lock))
    assert state(folder) is RunState.STOPPED

    def reaped() -> bool:
        launcher.reap()
        return not launcher._shims

    until(reaped)


def test_closing_leaves_the_shim_alone(home: Path) -> None:
    launcher = Launcher()
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    with Lock(folder.shim_lock) as lock:
        launcher.spawn(folder, {}, lock)
    process = launcher._shims[RUN_ID]
    launcher.close()
    assert held(folder.shim_lock)
    order(folder, Want.STOP)
    until(folder.exit.exists)
    os.waitpid(process.pid, 0)


def test_a_shim_that_cannot_start_is_an_error_with_the_run(home: Path) -> None:
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    with Lock(folder.shim_lock) as lock, pytest.raises(LaunchError, match=RUN_ID):
        Launcher().spawn(folder, {"A\0": "x"}, lock)
    assert state(folder) is RunState.LOST
