from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from mosaic.daemon.places.local.launcher import Launcher
from mosaic.errors import LaunchError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec, RunState, Want
from mosaic.runs import folder as runs
from mosaic.runs.locks import Lock, held
from tests.daemon.keeping import RUN_ID, order, state, until, worker


def test_a_run_is_never_without_a_holder_from_before_its_shim_starts(home: Path, tmp_path: Path) -> None:
    launcher = Launcher()
    command = worker("sleeps", tmp_path / "ready")
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=command, cwd="/"), created=0.0)
    with Lock(folder.shim_lock) as lock:
        assert state(folder) is RunState.QUEUED
        launcher.spawn(folder, command, dict(os.environ), lock)
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


@pytest.mark.parametrize("by_reap", [True, False], ids=["reaped", "asked"])
def test_the_status_of_a_shim_that_was_killed_is_known_and_logged_once(
    home: Path, caplog: pytest.LogCaptureFixture, *, by_reap: bool
) -> None:
    launcher = Launcher()
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    with Lock(folder.shim_lock) as lock:
        launcher.spawn(folder, ["true"], {}, lock)
    process = launcher._shims[RUN_ID]
    assert launcher.failed(RUN_ID, wait_secs=0.0) is None
    process.kill()
    if by_reap:
        process.wait()
        launcher.reap()
    for _ in range(2):
        assert launcher.failed(RUN_ID, wait_secs=60.0) == -signal.SIGKILL
    launcher.reap()
    assert [record.getMessage() for record in caplog.records] == [
        f"run {RUN_ID}: its shim ended with status -9"
    ]


def test_a_shim_that_ends_well_or_is_followed_by_another_has_not_failed(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    launcher = Launcher()
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    launcher._failed[RUN_ID] = -9
    with Lock(folder.shim_lock) as lock:
        launcher.spawn(folder, ["true"], {}, lock)
    order(folder, Want.STOP)
    assert launcher.failed(RUN_ID, wait_secs=60.0) is None
    assert launcher._shims == {}
    assert caplog.records == []


def test_the_worker_gets_the_words_it_was_given_and_not_those_on_the_disk(home: Path, tmp_path: Path) -> None:
    launcher = Launcher()
    spec = RunSpec(run_id=RUN_ID, command=["what", "is", "shown"], cwd="/")
    folder = runs.create(DataRoot(home), spec, created=0.0)
    words = ["sh", "-c", 'echo "$1" > "$0"', str(tmp_path / "told"), "true word " + "x" * 100_000]
    with Lock(folder.shim_lock) as lock:
        launcher.spawn(folder, words, dict(os.environ), lock)
    process = launcher._shims[RUN_ID]
    assert "true word" not in Path(f"/proc/{process.pid}/cmdline").read_text()
    order(folder, Want.RUN)
    process.wait(timeout=60)
    assert (tmp_path / "told").read_text() == words[-1] + "\n"
    assert not any(b"true word" in path.read_bytes() for path in folder.path.rglob("*") if path.is_file())


def test_closing_leaves_the_shim_alone(home: Path) -> None:
    launcher = Launcher()
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    with Lock(folder.shim_lock) as lock:
        launcher.spawn(folder, ["true"], {}, lock)
    process = launcher._shims[RUN_ID]
    launcher.close()
    assert held(folder.shim_lock)
    order(folder, Want.STOP)
    until(folder.exit.exists)
    os.waitpid(process.pid, 0)


def test_a_shim_that_cannot_start_is_an_error_with_the_run(home: Path) -> None:
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=["true"], cwd="/"), created=0.0)
    with Lock(folder.shim_lock) as lock, pytest.raises(LaunchError, match=RUN_ID):
        Launcher().spawn(folder, ["true"], {"A\0": "x"}, lock)
    assert state(folder) is RunState.LOST
