"""G22: one run cannot hurt another, whatever lies in its folder.

The whole matrix: every part of a run's folder, the folder itself too, replaced by everything that can have a
name. Beside the victims of one kind stand neighbours: one whose journal is still to be ingested, one that
runs and is to be stopped, one that is yet to be started. They are judged by `oracle`, which reads journals
with other code than the product's, and by the kernel.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from ulid import ULID

from mosaic.app import reading, run_index
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunRow, RunState
from tests.daemons import Daemon, running_daemon, until
from tests.proof import bad_objects, oracle
from tests.proof.bad_objects import KINDS, TARGETS, Canary

REPOSITORY = Path(__file__).resolve().parents[2]
LATER = {  # of a live run: what its shim and its locks hold
    target
    for target in TARGETS
    if target in ("control.json", "proc.json", "exit.json", "shim.lock", "tree.lock")
}


@pytest.fixture(autouse=True)
def crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings under which many runs go at once."""
    monkeypatch.setenv("MOSAIC_MAX_RUNNING", "64")
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", "0")


def mosaic(*words: str) -> subprocess.CompletedProcess[str]:
    """One command, as a user gives it. One that waits for ever is a failure."""
    command = [sys.executable, "-m", "mosaic", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.heavy
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_lies_in_a_runs_folder_its_neighbours_live_as_if_it_were_not_there(
    kind: str, home: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind == "closed" and os.getuid() == 0:  # to root nothing is closed
        _again_as_somebody_else(request)
        return
    root, canary = DataRoot(home), Canary(tmp_path / "canary")
    neighbour = bad_objects.make_ended_run(root, str(ULID()), stored=False)
    victims = {}
    for target in TARGETS:
        folder = bad_objects.make_ended_run(
            root, str(ULID()), stored=target not in (bad_objects.PLAIN, "journal")
        )
        bad_objects.put(folder, target, kind, canary.path)
        victims[folder.run_id] = target
    expected = {run_id: target for run_id, target in victims.items() if bad_objects.is_run(target, kind)}

    listed = mosaic("ls", "--json", "--all")
    assert (listed.returncode, listed.stderr) == (0, "")
    judge({row["run_id"]: row for row in map(json.loads, listed.stdout.splitlines())}, expected, kind)

    with running_daemon(root) as daemon:
        sleeper = daemon.submit(["sleep", "600"])
        until(lambda: daemon.client.run(sleeper.run_id).state is RunState.RUNNING)
        judge({row.run_id: plain(row) for row in daemon.client.runs()}, expected, kind)
        assert mosaic("run", "--", "true").returncode == 0
        until(lambda: reading.settled(root, neighbour.run_id))
        oracle.assert_stored(neighbour)
        daemon.client.stop(sleeper.run_id)
        assert daemon.wait(sleeper.run_id).state is RunState.STOPPED
        faults(daemon)

        for run_id in random.Random(kind).sample(sorted(expected), 4):
            shown = mosaic("show", run_id, "--json", "--wait", "0")
            assert run_id in shown.stdout or shown.returncode == 1, shown
            assert "Traceback" not in shown.stderr
        removed = mosaic("rm", "--yes", *expected)
        assert removed.returncode == 0, removed
        left = {path.name for path in root.runs.iterdir()} - (victims.keys() - expected.keys())
        assert not left & victims.keys()
        assert not [name for name in left if name.startswith(".")], "the bin is not empty"
        assert {row.run_id for row in daemon.client.runs()} == left
        faults(daemon)
    canary.assert_untouched()


@pytest.mark.heavy
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["folder", "pipe", "outside", "empty", "random"])
def test_a_live_run_whose_folder_was_tampered_with_is_stopped_and_deleted_and_no_other_notices(
    kind: str, home: Path, tmp_path: Path
) -> None:
    root, canary = DataRoot(home), Canary(tmp_path / "canary")
    with running_daemon(root) as daemon:
        victims = {daemon.submit(["sleep", "600"]).run_id: target for target in LATER}
        sleeper = daemon.submit(["sleep", "600"]).run_id
        until(lambda: all(row.state is RunState.RUNNING for row in daemon.client.runs()))
        for run_id, target in victims.items():
            bad_objects.put(root.run(run_id), target, kind, canary.path)
        for run_id in victims:
            daemon.client.stop(run_id)
        until(lambda: not [line for line in processes() if any(run_id in line for run_id in victims)])
        assert daemon.client.run(sleeper).state is RunState.RUNNING
        removed = mosaic("rm", "--yes", *victims)
        assert removed.returncode == 0, removed
        assert [row.run_id for row in run_index.rows(root)] == [sleeper]
        daemon.client.stop(sleeper)
        assert daemon.wait(sleeper).state is RunState.STOPPED
        faults(daemon)
    canary.assert_untouched()


def plain(row: RunRow) -> dict[str, object]:
    return {"state": row.state.value, "reason": row.reason}


def judge(rows: dict[str, dict[str, object]], victims: dict[str, str], kind: str) -> None:
    """Each victim is one row: unreadable with the reason where nothing can be said, else as it ended."""
    for run_id, target in victims.items():
        assert run_id in rows, f"{kind} for {target or 'the folder'}: not listed"
        state, reason = rows[run_id]["state"], str(rows[run_id]["reason"])
        if bad_objects.unreadable(target, kind):
            assert state == "unreadable", f"{kind} for {target or 'the folder'}: {state}"
            assert (Path(target).name or run_id) in reason
        else:
            assert state == "finished", f"{kind} for {target}: {state}: {reason}"


def faults(daemon: Daemon) -> None:
    status = daemon.client.status()
    assert (status.faults, status.last_fault) == (0, "")


def processes() -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                found.append((entry / "environ").read_text(errors="replace"))
            except OSError:
                continue
    return found


def _again_as_somebody_else(request: pytest.FixtureRequest) -> None:
    """In a user namespace without root: there a file of mode 0000 is closed to its owner."""
    command = [
        "unshare",
        "--user",
        "--map-user=1000",
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, "-q", "-m", "heavy", request.node.nodeid],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
