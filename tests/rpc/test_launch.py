"""Finding the daemon or starting it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic.errors import DaemonError
from mosaic.paths import DataRoot
from mosaic.rpc.launch import connect, daemon_environment, daemon_running, wait_until_gone
from mosaic.runs.locks import Lock
from tests.daemons import Daemon


def test_asking_whether_a_daemon_runs_loads_no_grpc_and_creates_nothing(home: Path) -> None:
    code = (
        "import sys; from mosaic.paths import data_root; from mosaic.rpc.launch import daemon_running; "
        "print(daemon_running(data_root()), any(name.startswith(('grpc', 'google')) for name in sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "False False\n"
    assert list(home.iterdir()) == []


def test_without_start_a_missing_daemon_is_an_error_that_names_the_command(home: Path) -> None:
    with pytest.raises(DaemonError, match="No daemon runs for .*mosaic daemon start"):
        connect(DataRoot(home), start=False)


def test_a_daemon_started_by_a_command_outlives_it(daemon: Daemon) -> None:
    assert daemon_running(daemon.root)
    with connect(daemon.root, start=False) as again:
        assert again.status().pid == daemon.pid


def test_a_daemon_that_holds_the_lock_but_never_answers_is_given_up_on(home: Path) -> None:
    root = DataRoot(home)
    root.daemon.mkdir(mode=0o700)
    with (
        Lock(root.daemon_lock),
        pytest.raises(DaemonError, match=r"did not answer within 0\.2 s; see .*daemon\.log"),
    ):
        connect(root, wait_secs=0.2)
    with Lock(root.daemon_lock), pytest.raises(DaemonError, match=r"still there after 0\.05 s"):
        wait_until_gone(root, wait_secs=0.05)


def test_a_daemon_started_from_inside_a_run_is_no_part_of_that_run(tmp_path: Path) -> None:
    root = DataRoot(tmp_path)
    site = root.worker_site / "0123"
    environ = {
        "PATH": "/bin",
        "MOSAIC_RUN_DIR": "x",
        "MOSAIC_RUN_ID": "x",
        "MOSAIC_RECORD": "{}",
        "MOSAIC_SOCKET": "x",
        "MOSAIC_TOKEN_FILE": "x",
        "MOSAIC_HOME": "/elsewhere",
        "PYTHONPATH": f"{site}{os.pathsep}/mine",
    }
    assert daemon_environment(root, environ) == {
        "PATH": "/bin",
        "MOSAIC_HOME": str(tmp_path),
        "PYTHONPATH": "/mine",
    }


def test_a_daemon_gets_what_it_needs_of_its_first_caller_and_nothing_else(tmp_path: Path) -> None:
    kept = {
        "PATH": "/bin",
        "HOME": "/home/me",
        "LC_ALL": "C",
        "TMPDIR": "/t",
        "XDG_RUNTIME_DIR": "/run",
        "PYTHONPATH": "/mine",
        "MOSAIC_MAX_RUNNING": "3",
        "MOSAIC_HOME": str(tmp_path),
    }
    left = {"WANDB_API_KEY": "x", "MY_PROJECT": "x", "DISPLAY": ":0", "MOSAIC_API_KEY": "x", "XPATH": "x"}
    assert daemon_environment(DataRoot(tmp_path), {**kept, **left}) == kept
