"""The commands that act: stop, pause, resume, rm, rebuild, daemon."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from mosaic.rpc.launch import daemon_running
from mosaic.sdk import catalog
from mosaic.sdk.connection import Connection
from mosaic.store.registry import read_entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from mosaic.sdk.run import Run
    from tests.cli.conftest import Said


def _in_state(run: Run, state: str) -> None:
    until = time.monotonic() + 30
    while run.state != state:
        assert time.monotonic() < until, f"never {state}: {run.state}, {run.reason}"
        time.sleep(0.02)


def _settled(root: DataRoot, run: Run) -> None:
    until = time.monotonic() + 30
    while not any(entry.settled for entry in read_entries(root.registry) if entry.row.run_id == run.id):
        assert time.monotonic() < until, "never settled"
        time.sleep(0.02)


def test_stop_waits_until_the_run_is_gone(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    run = Connection(root).run(["sleep", "60"], name="sleeper")
    _in_state(run, "running")
    said = mosaic("stop", "sleeper")
    assert said.code == 0
    assert said.out.startswith(f"run {run.id} stopped")
    assert run.state == "stopped"
    again = mosaic("stop", "sleeper")
    assert again.code == 0
    assert "ended already" in again.err


def test_pause_and_resume(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    run = Connection(root).run(["sleep", "60"])
    _in_state(run, "running")
    assert mosaic("pause", "last").code == 0
    _in_state(run, "paused")
    assert mosaic("resume", "last").code == 0
    _in_state(run, "running")
    run.stop()
    said = mosaic("pause", "last")
    assert said.code == 2
    assert "has ended" in said.err


def test_rm_refuses_a_live_run_and_asks_before_it_deletes(
    root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    run = Connection(root).run(["sleep", "60"])
    _in_state(run, "running")
    said = mosaic("rm", "last", "--yes")
    assert said.code == 2
    assert f"mosaic stop {run.id}" in said.err
    run.stop()
    said = mosaic("rm", "last")
    assert said.code == 2
    assert "--yes" in said.err
    assert run.folder.exists()
    assert mosaic("rm", "last", run.id, "--yes").code == 0
    assert not run.folder.exists()
    assert catalog.rows(root) == []


def test_a_deleted_store_is_rebuilt_and_that_is_said(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    line = json.dumps({"type": "metric", "name": "x", "value": 1.0})
    run = Connection(root).run(["sh", "-c", f"echo '{line}'"])
    run.wait()
    _settled(root, run)
    for path in run.folder.glob("telemetry.sqlite*"):
        path.unlink()
    said = mosaic("metrics", "last", "--json")
    assert said.code == 0, said.err
    assert len(said.out.splitlines()) == 1
    assert "anew" in said.err


def test_a_corrupted_store_is_rebuilt_and_that_is_said(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    line = json.dumps({"type": "metric", "name": "x", "value": 1.0})
    run = Connection(root).run(["sh", "-c", f"echo '{line}'"])
    run.wait()
    _settled(root, run)
    for path in run.folder.glob("telemetry.sqlite-*"):
        path.unlink()
    (run.folder / "telemetry.sqlite").write_bytes(os.urandom(40_000))
    said = mosaic("metrics", "last", "--json")
    assert said.code == 0, said.err
    assert len(said.out.splitlines()) == 1
    assert "anew" in said.err
    assert mosaic("verify", "last").code == 0


def test_rebuild_gives_the_same_counts(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    line = json.dumps({"type": "metric", "name": "x", "value": 1.0})
    Connection(root).run(["sh", "-c", f"echo '{line}'"]).wait()
    said = mosaic("rebuild", "last", "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["metrics"] == 1
    assert "1 metrics" in mosaic("rebuild", "last").out


def test_the_daemon_starts_stops_and_tells_how_it_is(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    said = mosaic("daemon", "status", "--json")
    assert said.code == 1
    assert json.loads(said.out)["running"] is False
    assert mosaic("daemon", "start").code == 0
    assert "already" in mosaic("daemon", "start").out
    status = json.loads(mosaic("daemon", "status", "--json").out)
    assert status["running"] is True
    assert status["home"] == str(root.path)
    assert "running: pid" in mosaic("daemon", "status").out
    assert mosaic("daemon", "stop").code == 0
    assert not daemon_running(root)
    assert "no daemon" in mosaic("daemon", "stop").out


def test_an_id_that_matches_two_runs_lists_them(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    runs = [Connection(root).run(["true"], name="twin") for _ in range(2)]
    for run in runs:
        run.wait()
    for text in ("twin", runs[0].id[:4]):
        said = mosaic("show", text)
        assert said.code == 2
        assert all(run.id in said.err for run in runs)


def test_a_script_that_dies_at_once_shows_its_last_words(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    run = Connection(root).run(["sh", "-c", r"printf 'boom \033[2J\n' >&2; exit 9"])
    run.wait()
    said = mosaic("show", "last")
    assert "failed: exit code 9" in said.out
    assert "  boom \\x1b[2J" in said.out
    document = json.loads(mosaic("show", "last", "--json").out)
    assert document["state"] == "failed"
    assert document["exit"]["code"] == 9
    assert document["stderr_tail"] == ["boom \x1b[2J"]


@pytest.mark.parametrize("command", ["show", "episodes", "stop", "rm", "export"])
def test_a_run_that_does_not_exist_is_a_usage_error(
    root: DataRoot, mosaic: Callable[..., Said], command: str
) -> None:
    extra = {"rm": ["--yes"], "export": ["--format", "csv"]}.get(command, [])
    said = mosaic(command, "nothing", *extra)
    assert said.code == 2
    assert said.err.startswith("mosaic: ")
    assert not daemon_running(root)
