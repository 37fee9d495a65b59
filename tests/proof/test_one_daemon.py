"""G17: however many start it at once, there is one daemon; however often it is submitted, a run starts once.

The callers are processes of their own that have loaded everything and begin at the same moment.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from ulid import ULID

from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunState
from mosaic.rpc.launch import connect, daemon_running
from tests.daemons import Daemon, running_daemon
from tests.proof.scenes import WORKERS, Member, bare, until

if TYPE_CHECKING:
    from collections.abc import Iterator


def all_at_once(count: int, *arguments: str) -> list[dict[str, Any]]:
    """What that many callers got."""
    command = [sys.executable, str(WORKERS / "calls_daemon.py"), str(count), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    got = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(got) == count
    return got


def daemons_of(home: Path) -> list[int]:
    """The pid of every daemon process of a data root, by its command line. Ingest is another program."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if "mosaic.daemon" in words and str(home) in words:
                found.append(process.pid)
    return found


@pytest.fixture
def daemonless(home: Path) -> Iterator[Path]:
    """A data root whose daemons do not outlive the test, even if there are too many of them."""
    yield home
    for pid in daemons_of(home):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("callers", "rounds"), [(5, 1), pytest.param(20, 5, marks=[pytest.mark.heavy, pytest.mark.timeout(400)])]
)
def test_many_starts_at_once_give_one_daemon_and_every_caller_is_served(
    daemonless: Path, callers: int, rounds: int
) -> None:
    home, root = daemonless, DataRoot(daemonless)
    for number in range(rounds):
        got = all_at_once(callers)
        pids = {one["daemon"] for one in got}
        assert len(pids) == 1, f"callers met different daemons: {pids}"
        until(
            lambda: len(daemons_of(home)) <= 1, timeout_secs=60
        )  # those who came too late are about to leave
        assert daemons_of(home) == list(pids)
        if number % 2:  # every second daemon leaves its socket, info and lock file behind
            os.kill(pids.pop(), signal.SIGKILL)
        else:
            with connect(root) as client:
                client.shutdown()
        until(lambda: not daemon_running(root))
        until(lambda: not daemons_of(home))


@pytest.mark.parametrize(
    "callers", [5, pytest.param(20, marks=[pytest.mark.heavy, pytest.mark.timeout(200)])]
)
def test_one_run_id_submitted_by_many_at_once_starts_one_worker(
    daemon: Daemon, tmp_path: Path, callers: int
) -> None:
    member = Member.make(tmp_path / "accounts")
    got = all_at_once(callers, member.run_id, *member.spec.command)
    assert {one["run_id"] for one in got} == {member.run_id}
    worker = member.worker
    assert [row.run_id for row in daemon.client.runs()] == [member.run_id]
    daemon.client.submit(member.spec, dict(os.environ))  # while it runs
    member.end("code 0")
    assert daemon.wait(member.run_id).state is RunState.FINISHED
    daemon.client.submit(member.spec, dict(os.environ))  # after its end
    daemon.kill()
    daemon.reconnect().submit(member.spec, dict(os.environ))  # to another daemon
    assert daemon.client.run(member.run_id).state is RunState.FINISHED
    assert member.starts == [worker.pid]


def test_a_run_that_is_over_at_once_is_not_started_by_those_who_come_late(home: Path, tmp_path: Path) -> None:
    starts, run_id = tmp_path / "starts", str(ULID())
    command = ["sh", "-c", f"echo started >> {starts}"]
    with running_daemon(DataRoot(home)) as daemon:
        all_at_once(5, run_id, *command)
        assert daemon.wait(run_id).state is RunState.FINISHED
        assert starts.read_text().split() == ["started"]


def test_a_second_daemon_in_the_foreground_leaves_at_once(daemon: Daemon) -> None:
    command = [sys.executable, "-m", "mosaic.daemon", "--home", str(daemon.root.path), "--foreground"]
    first = daemon.pid
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    assert daemon.pid == first
    assert daemon.submit(bare("exits", 3)).run_id
