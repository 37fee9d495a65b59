"""G5, G6, G7: no death of the daemon stops, doubles or hides a run, and no end of a run is guessed.

Real workers keep their own account on the side; psutil says who lives. Judged is the first answer of the next
daemon, not what it may find out later.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

import mosaic
from mosaic.errors import DaemonError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import ENDED, ExitRecord, RunState
from mosaic.rpc.launch import connect, daemon_running
from tests.daemons import Daemon
from tests.proof.scenes import Member, environment, gone, ingest_of, kill, until


@dataclass(frozen=True)
class Fate:
    """What happens to a run: how its worker is told to end, and who is killed while no daemon lives."""

    end: str
    while_dead: bool = False
    shim_killed: bool = False
    worker_killed: bool = False

    @property
    def expected(self) -> tuple[RunState, int | None, int | None]:
        """State, code and signal at the very end."""
        if self.shim_killed:
            return RunState.LOST, None, None
        how, _, value = self.end.partition(" ")
        if how == "signal":
            return RunState.FAILED, None, int(getattr(signal, value))
        return (RunState.FAILED if int(value) else RunState.FINISHED), int(value), None


FATES = [
    Fate("code 0", while_dead=True),
    Fate("code 7", while_dead=True),
    Fate("signal SIGSEGV", while_dead=True),
    Fate("code 3"),
    Fate("code 0", shim_killed=True),  # an orphan that ends well: nobody can know
    Fate("code 255", while_dead=True),
    Fate("signal SIGKILL", while_dead=True),
    Fate("signal SIGTERM"),
    Fate("code 0"),
    Fate("", while_dead=True, shim_killed=True, worker_killed=True),
]


def how_it_ended(exit_: ExitRecord | None) -> tuple[int | None, int | None]:
    return (None, None) if exit_ is None else (exit_.code, exit_.signal)


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings under which many runs go at once."""
    monkeypatch.setenv("MOSAIC_MAX_RUNNING", "64")
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", "0")


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("count", [5, pytest.param(50, marks=[pytest.mark.heavy, pytest.mark.timeout(300)])])
def test_runs_outlive_a_killed_daemon_and_every_end_is_the_true_one(
    daemon: Daemon, tmp_path: Path, count: int
) -> None:
    members = [Member.make(tmp_path / "accounts") for _ in range(count)]
    fates = dict(zip(members, FATES * count, strict=False))
    for member in members:
        daemon.client.submit(member.spec, dict(os.environ))
    workers = {member: member.worker for member in members}
    shims = {member: psutil.Process(worker.ppid()) for member, worker in workers.items()}

    ingest = ingest_of(daemon)
    daemon.kill()
    kill(ingest)
    for member, fate in fates.items():
        if fate.shim_killed:
            kill(shims[member])
        if fate.worker_killed:
            kill(workers[member])
        elif fate.while_dead:
            member.end(fate.end)
    ended = [member for member, fate in fates.items() if fate.while_dead]
    until(lambda: gone(workers[member] for member in ended), timeout_secs=60)
    until(lambda: gone(shims[member] for member in ended), timeout_secs=60)

    first_answer = {row.run_id: row for row in daemon.reconnect().runs()}
    assert first_answer.keys() == {member.run_id for member in members}
    for member, fate in fates.items():
        row = first_answer[member.run_id]
        if fate.while_dead:
            assert (row.state, *how_it_ended(row.exit)) == fate.expected, row
        else:
            assert row.state is (RunState.ORPHANED if fate.shim_killed else RunState.RUNNING), row

    alive = [member for member, fate in fates.items() if not fate.while_dead]
    assert not any(workers[member].status() == psutil.STATUS_STOPPED for member in alive)
    before = {member: member.count for member in alive}
    until(lambda: all(member.count > before[member] for member in alive), timeout_secs=60)
    for member in alive:
        member.end(fates[member].end)
    until(lambda: all(row.state in ENDED for row in daemon.client.runs()), timeout_secs=60)
    rows = {row.run_id: row for row in daemon.client.runs()}
    for member, fate in fates.items():
        row = rows[member.run_id]
        assert (row.state, *how_it_ended(row.exit)) == fate.expected, row
        assert member.starts == [workers[member].pid], "started once, and never again"
        member.assert_stored_once(daemon.root, killed=fate.worker_killed)


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=[pytest.mark.heavy, pytest.mark.timeout(300)])])
def test_runs_submitted_to_dying_daemons_start_once(daemon: Daemon, tmp_path: Path, kills: int) -> None:
    chance = random.Random(7)
    members = [Member.make(tmp_path / "accounts") for _ in range(kills)]
    for member in members:
        victim = daemon.pid
        killer = threading.Timer(chance.uniform(0, 0.04), os.kill, (victim, signal.SIGKILL))
        killer.start()
        submitted = False
        while not submitted:
            try:
                daemon.client.submit(member.spec, dict(os.environ))
                submitted = True
            except DaemonError:
                until(lambda victim=victim: not psutil.pid_exists(victim))  # type: ignore[misc]
                daemon.reconnect()
        killer.join()
        until(lambda victim=victim: not psutil.pid_exists(victim))  # type: ignore[misc]
        daemon.reconnect()
    until(lambda: all(member.count > 0 for member in members), timeout_secs=60)
    running = {member.run_id: RunState.RUNNING for member in members}
    until(lambda: {row.run_id: row.state for row in daemon.client.runs()} == running)
    for member in members:
        member.end("code 4")
    until(lambda: all(row.state in ENDED for row in daemon.client.runs()), timeout_secs=60)
    assert [len(member.starts) for member in members] == [1] * kills
    assert {how_it_ended(row.exit) for row in daemon.client.runs()} == {(4, None)}


def test_an_upgrade_under_a_live_run_changes_nothing_for_it(home: Path, tmp_path: Path) -> None:
    older = tmp_path / "older"
    shutil.copytree(Path(mosaic.__file__).parents[1], older, ignore=shutil.ignore_patterns("__pycache__"))
    (older / "mosaic" / "__init__.py").write_text(
        (older / "mosaic" / "__init__.py").read_text().replace(mosaic.__version__, "0.0.0")
    )
    root, member = DataRoot(home), Member.make(tmp_path / "accounts")
    command = [sys.executable, "-m", "mosaic.daemon", "--home", str(home)]
    changes = {"PYTHONPATH": str(older), "MOSAIC_DISK_RESERVE_MIB": "0"}
    subprocess.run(command, env=environment(**changes), cwd="/", check=True, timeout=60)
    with connect(root, same_version=False, wait_secs=30) as client:
        assert client.status().version == "0.0.0"
        client.submit(member.spec, dict(os.environ))
        worker = member.worker
        with pytest.raises(DaemonError, match="mosaic daemon stop"):
            connect(root)
        client.shutdown()
    until(lambda: not daemon_running(root))
    shutil.rmtree(older)

    newer = Daemon(root)
    try:
        assert newer.client.run(member.run_id).state is RunState.RUNNING
        member.end("code 7")
        until(lambda: not worker.is_running())
        assert newer.wait(member.run_id).exit is not None
        assert how_it_ended(newer.client.run(member.run_id).exit) == (7, None)
        assert len(member.starts) == 1
        newer.client.shutdown()
        until(lambda: not daemon_running(root))
    finally:
        newer.client.close()
