"""G16: a stopped run leaves no process behind, however its processes hide; or it is said which ones stay.

Every process leaves a note of itself and is told by pid and start time. How long a stop may take follows from
the settings alone; here the ladder is only made shorter.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from mosaic.daemon.places.local.shim import Shim
from mosaic.protocol.runs import RunState
from mosaic.settings import Settings
from tests.daemons import Daemon
from tests.proof.scenes import bare, gone, kill, until

PROMISED_SECS = 10.0


@pytest.fixture(autouse=True)
def quick_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSAIC_STOP_INT_SECS", "0.3")
    monkeypatch.setenv("MOSAIC_STOP_TERM_SECS", "0.3")
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", "0")


def mosaic_stop(run_id: str) -> str:
    """What `mosaic stop` says, when it succeeds."""
    command = [sys.executable, "-m", "mosaic", "stop", run_id]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


Legion = Callable[[int], "tuple[str, list[psutil.Process]]"]


@pytest.fixture
def legion(daemon: Daemon, tmp_path: Path) -> Iterator[Legion]:
    """Starts a run of so many stubborn processes; gives its id and each of them. None outlives the test."""
    every: list[psutil.Process] = []
    notes = tmp_path / "notes"
    notes.mkdir()

    def start(count: int) -> tuple[str, list[psutil.Process]]:
        run_id = daemon.submit(bare("legion", notes, count)).run_id
        until(lambda: len(list(notes.glob("*.pid"))) == count, timeout_secs=60)
        every.extend(psutil.Process(int(note.stem)) for note in notes.glob("*.pid"))
        return run_id, every

    yield start
    for process in every:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def zombies() -> list[psutil.Process]:
    """Every dead process on the machine that nobody has collected, ours or not."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


@pytest.mark.parametrize("count", [9, pytest.param(60, marks=[pytest.mark.heavy, pytest.mark.timeout(120)])])
def test_a_stop_ends_every_process_wherever_it_hides(daemon: Daemon, legion: Legion, count: int) -> None:
    run_id, processes = legion(count)
    family = {process.pid for process in processes}
    shims = {process.ppid() for process in processes} - family
    assert len(shims) == 1, "the double-forked ones too are below the shim"
    shim = psutil.Process(shims.pop())
    left_as_zombies = [process for process in shim.children(recursive=True) if process.pid not in family]

    assert "stopped" in mosaic_stop(run_id)

    assert daemon.client.run(run_id).state is RunState.STOPPED
    assert gone(processes), "a process outlived the run"
    until(lambda: gone([shim, *left_as_zombies]))
    assert not [process for process in zombies() if process.pid in family]


def test_a_stop_ends_a_paused_run_too(daemon: Daemon, legion: Legion) -> None:
    run_id, processes = legion(5)
    daemon.client.pause(run_id)
    until(lambda: all(process.status() == psutil.STATUS_STOPPED for process in processes))
    mosaic_stop(run_id)
    assert gone(processes)


def test_a_stop_ends_a_run_whose_shim_was_killed(daemon: Daemon, legion: Legion) -> None:
    # Without one that dropped its environment: after the shim's death nothing ties such a process to its run.
    run_id, processes = legion(4)
    family = {process.pid for process in processes}
    (shim,) = {process.ppid() for process in processes} - family
    kill(psutil.Process(shim))
    until(lambda: daemon.client.run(run_id).state is RunState.ORPHANED)
    mosaic_stop(run_id)
    assert daemon.client.run(run_id).state is RunState.LOST, "nobody knows its exit code"
    until(lambda: gone(processes))


def test_a_run_that_forks_faster_than_it_is_killed_still_ends(daemon: Daemon, tmp_path: Path) -> None:
    run_id = daemon.submit(bare("hops", tmp_path)).run_id
    until((tmp_path / "hopping").exists)
    mosaic_stop(run_id)
    mark = os.fsencode(f"MOSAIC_RUN_ID={run_id}")
    left = [place for place in Path("/proc").glob("[0-9]*/environ") if mark in _read(place)]
    assert not left


def test_the_ladder_is_int_then_term_then_kill(daemon: Daemon, tmp_path: Path) -> None:
    log = tmp_path / "signals"
    run_id = daemon.submit(bare("climbs", log)).run_id
    until(log.exists)
    until(lambda: "ready" in log.read_text())
    mosaic_stop(run_id)
    assert log.read_text().split() == ["ready", str(int(signal.SIGINT)), str(int(signal.SIGTERM))]
    exit_ = daemon.client.run(run_id).exit
    assert exit_ is not None
    assert exit_.signal == signal.SIGKILL


def test_the_whole_ladder_takes_no_longer_than_promised() -> None:
    settings = Settings()
    shim = {name: one.default for name, one in inspect.signature(Shim).parameters.items()}
    ladder_secs = settings.stop_int_secs + settings.stop_term_secs + shim["kill_secs"]
    assert shim["poll_secs"] + ladder_secs <= PROMISED_SECS


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""
