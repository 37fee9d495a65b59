"""G18: neither a change of the clock nor a suspended machine changes a run's state.

Shown by reading the code that judges liveness (no wall clock in it), by a real daemon whose clock jumps years
at every reading, by records whose times are nonsense, and by processes that stand still for a while.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

import mosaic
from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol.runs import ENDED, RunState
from mosaic.rpc.launch import connect, daemon_running
from mosaic.runs.folder import observe
from mosaic.runs.lifecycle import judge
from tests.daemons import Daemon
from tests.proof.scenes import WORKERS, Member, frozen, ingest_of, kill, until

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(mosaic.__file__).parent

WALL_CLOCKS = {
    "time", "time_ns", "clock_gettime", "clock_gettime_ns", "CLOCK_REALTIME", "now", "utcnow", "today",
    "fromtimestamp", "localtime", "gmtime", "ctime", "st_mtime", "st_mtime_ns", "st_ctime", "st_ctime_ns",
    "st_atime", "st_atime_ns", "st_birthtime", "getmtime", "getctime", "getatime",
}  # fmt: skip
"""Attributes that read the wall clock, or a file's time, which comes from it."""

TIMELESS = [
    "runs/lifecycle.py", "runs/locks.py", "runs/folder.py", "daemon/dispatcher.py", "daemon/decisions.py",
    "daemon/places/base.py", "daemon/places/local/place.py", "daemon/places/local/launcher.py",
    "daemon/places/local/orphans.py", "daemon/places/local/processes.py",
]  # fmt: skip
"""Where states come from, and by `runs/folder.py` whether a store may settle: no wall clock at all."""

STAMPS = {
    "daemon/trainer.py": {"__init__": 1},  # the default of `now`, which goes into listings
    # Whether the list of runs, or a manifest, changed at all: compared for equality only.
    "daemon/runbook.py": {"scan": 1, "_stamp": 1},
    # When the worker began and ended, for people; and whether the order changed: compared for equality only.
    "daemon/places/local/shim.py": {"_start": 1, "_ended": 1, "_record_exit": 1, "_read_order": 1},
}
"""Where runs are watched: these readings, by function, and no others. None of them enters a decision."""


def readings(source: str) -> dict[str, int]:
    """How often each function of a module reads a wall clock. Names are enough: an alias must be imported."""
    found: dict[str, int] = {}

    def visit(node: ast.AST, function: str) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = node.name
        named = isinstance(node, ast.Attribute) and node.attr in WALL_CLOCKS
        imported = isinstance(node, ast.ImportFrom) and node.module in ("time", "datetime", "os.path")
        if named or imported:
            found[function] = found.get(function, 0) + 1
        for child in ast.iter_child_nodes(node):
            visit(child, function)

    visit(ast.parse(source), "")
    return found


@pytest.mark.parametrize("module", TIMELESS)
def test_code_that_derives_states_reads_no_wall_clock(module: str) -> None:
    assert readings((SOURCES / module).read_text()) == {}


@pytest.mark.parametrize("module", STAMPS)
def test_code_that_watches_runs_reads_the_clock_only_for_stamps(module: str) -> None:
    assert readings((SOURCES / module).read_text()) == STAMPS[module]


def test_the_reading_of_clocks_is_noticed_in_every_spelling() -> None:
    for line in (
        "time.time()",
        "from time import time",
        "x.stat().st_mtime",
        "datetime.now()",
        "from datetime import x",
    ):
        assert readings(line) == {"": 1}, line
    assert readings("time.monotonic()") == {}


NONSENSE = (0.0, -1e12, 1e18, 4102444800.0, 1.0, 1e300)


def rewrite_times(folder: RunFolder, value: float) -> None:
    """Every time in a run's records, and of its files, becomes nonsense."""
    for path in (folder.manifest, folder.proc, folder.exit, folder.control):
        if path.exists():
            record = json.loads(path.read_bytes())
            _retime(record, value)
            temporary = path.with_name(".nonsense")
            temporary.write_text(json.dumps(record))
            temporary.replace(path)
    for path in folder.path.rglob("*"):
        os.utime(path, ns=(0, 0) if value < 1e12 else (1 << 61, 1 << 61))


def _retime(record: Any, value: float) -> None:
    if isinstance(record, dict):
        for name in record:
            if name in ("t", "created", "started", "ended"):
                record[name] = value
            else:
                _retime(record[name], value)
    elif isinstance(record, list):
        for entry in record:
            _retime(entry, value)


@pytest.fixture
def one_of_each(daemon: Daemon, tmp_path: Path) -> dict[str, RunState]:
    """A run in each state a run can rest in."""
    ends = {"code 0": RunState.FINISHED, "code 9": RunState.FAILED, "signal SIGSEGV": RunState.FAILED}
    expected: dict[str, RunState] = {}

    def begin() -> Member:
        member = Member.make(tmp_path / "accounts")
        daemon.client.submit(member.spec, dict(os.environ))
        assert member.worker.is_running()
        return member

    for how, state in ends.items():
        member = begin()
        member.end(how)
        expected[member.run_id] = state
    stopped, orphaned, lost, paused, running = (begin() for _ in range(5))
    daemon.client.stop(stopped.run_id)
    kill(psutil.Process(orphaned.worker.ppid()))
    kill(psutil.Process(lost.worker.ppid()))
    kill(lost.worker)
    daemon.client.pause(paused.run_id)
    expected[stopped.run_id] = RunState.STOPPED
    expected[orphaned.run_id] = RunState.ORPHANED
    expected[lost.run_id] = RunState.LOST
    expected[paused.run_id] = RunState.PAUSED
    expected[running.run_id] = RunState.RUNNING
    until(lambda: {row.run_id: row.state for row in daemon.client.runs()} == expected)
    return expected


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSAIC_MAX_RUNNING", "64")
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", "0")
    monkeypatch.setenv("MOSAIC_STOP_INT_SECS", "0.3")


def test_records_from_any_time_give_the_same_states(daemon: Daemon, one_of_each: dict[str, RunState]) -> None:
    for value in NONSENSE:
        for run_id in one_of_each:
            rewrite_times(daemon.root.run(run_id), value)
        seen = {run_id: judge(observe(daemon.root.run(run_id))).state for run_id in one_of_each}
        assert seen == one_of_each, value
    daemon.kill()
    assert {row.run_id: row.state for row in daemon.reconnect().runs()} == one_of_each


@contextlib.contextmanager
def jumpy_daemon(root: DataRoot) -> Iterator[Any]:
    """A client of the real daemon whose clock jumps at every reading."""
    command = [sys.executable, str(WORKERS / "jumpy_daemon.py"), str(root.path)]
    with subprocess.Popen(command) as process:
        try:
            until(lambda: daemon_running(root))
            with connect(root, start=False, wait_secs=30) as client:
                assert client.status().pid == process.pid
                yield client
        finally:
            process.terminate()
    until(lambda: not daemon_running(root))


def test_a_jumping_clock_changes_no_state(
    daemon: Daemon, one_of_each: dict[str, RunState], tmp_path: Path
) -> None:
    daemon.client.shutdown()
    until(lambda: not daemon_running(daemon.root))
    member = Member.make(tmp_path / "accounts")
    with jumpy_daemon(daemon.root) as client:
        client.submit(member.spec, dict(os.environ))
        until(lambda: member.count > 0)
        states = []
        for number in itertools.count():
            states.append({row.run_id: row.state for row in client.runs()})
            if number >= 10 and states[-1].get(member.run_id) is RunState.RUNNING:
                break
            time.sleep(0.1)  # several ticks of the daemon, each with another time
        for state in states:
            assert state.pop(member.run_id) in (RunState.STARTING, RunState.RUNNING)
            assert state == one_of_each
        member.end("code 6")
        until(lambda: client.run(member.run_id).state is RunState.FAILED)
        assert client.run(member.run_id).exit.code == 6
    daemon.reconnect()


@pytest.mark.parametrize(
    "secs", [1.0, pytest.param(20.0, marks=[pytest.mark.heavy, pytest.mark.timeout(120)])]
)
def test_a_suspended_machine_wakes_up_with_the_same_runs(
    daemon: Daemon, one_of_each: dict[str, RunState], tmp_path: Path, secs: float
) -> None:
    member = Member.make(tmp_path / "accounts")
    daemon.client.submit(member.spec, dict(os.environ))
    worker = member.worker
    shim = psutil.Process(worker.ppid())
    until(lambda: daemon.client.run(member.run_id).state is RunState.RUNNING)
    expected = {**one_of_each, member.run_id: RunState.RUNNING}
    with frozen(psutil.Process(daemon.pid), ingest_of(daemon), shim, worker):
        wake = time.monotonic() + secs
        while time.monotonic() < wake:  # anybody who looks meanwhile sees the same
            assert {run: judge(observe(daemon.root.run(run))).state for run in expected} == expected
            time.sleep(0.05)
    assert {row.run_id: row.state for row in daemon.client.runs()} == expected
    before = member.count
    until(lambda: member.count > before)
    assert {row.run_id: row.state for row in daemon.client.runs()} == expected
    member.end("code 5")
    assert daemon.wait(member.run_id).state in ENDED
    exit_ = daemon.client.run(member.run_id).exit
    assert exit_ is not None
    assert exit_.code == 5


def test_a_run_that_ends_while_the_daemon_is_suspended_is_seen_right(daemon: Daemon, tmp_path: Path) -> None:
    member = Member.make(tmp_path / "accounts")
    daemon.client.submit(member.spec, dict(os.environ))
    worker = member.worker
    shim = psutil.Process(worker.ppid())
    with frozen(psutil.Process(daemon.pid), ingest_of(daemon)):
        member.end("code 8")
        until(lambda: not worker.is_running())
        until(lambda: not shim.is_running() or shim.status() == psutil.STATUS_ZOMBIE)
    assert daemon.client.run(member.run_id).state is RunState.FAILED
    member.assert_stored_once(daemon.root)
