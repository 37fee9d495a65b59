"""`mosaic run`, with real commands, a real daemon and real signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from mosaic.app import run_index
from mosaic.rpc.launch import daemon_running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said

MOSAIC = [sys.executable, "-m", "mosaic"]


def _run(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MOSAIC, "run", *args], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


def _wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.02)


def test_output_appears_as_it_is_and_the_exit_code_is_the_commands(root: DataRoot) -> None:
    done = subprocess.run(
        [*MOSAIC, "run", "--", "sh", "-c", r"printf 'a\033[1mb\377'; echo oops >&2; exit 7"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 7
    assert done.stdout == b"a\x1b[1mb\xff"
    assert done.stderr.startswith(b"oops\n")
    assert b"failed (exit code 7" in done.stderr
    assert b"stderr.log" in done.stderr
    row = run_index.find(root, "last")
    assert (row.state.value, row.exit and row.exit.code) == ("failed", 7)


def test_a_signal_is_told_as_a_shell_would(root: DataRoot) -> None:
    done = _run("--", "sh", "-c", "kill -9 $$")
    assert done.returncode == 128 + 9
    assert "SIGKILL" in done.stderr
    del root


def test_the_summary_counts_and_everything_is_ingested_when_it_returns(root: DataRoot) -> None:
    line = json.dumps({"type": "metric", "name": "x", "value": 1.0})
    done = _run("--name", "n", "--", "sh", "-c", f"echo '{line}'")
    assert done.returncode == 0
    assert "1 metrics" in done.stderr
    assert done.stdout == line + "\n"
    assert run_index.find(root, "n").metrics == 1


def test_a_run_that_recorded_nothing_is_told_why(root: DataRoot) -> None:
    assert "nothing was recorded: it made no Gymnasium" in _run("--", "true").stderr
    decided = _run("--", "echo", '{"type":"decision","operator":"human"}')
    assert "0 metrics" in decided.stderr
    assert "nothing was recorded" not in decided.stderr
    del root


def test_a_python_that_cannot_be_recorded_is_named_with_the_way_out_also_when_others_recorded(
    root: DataRoot,
) -> None:
    alone = _run("--name", "alone", "--", sys.executable, "-I", "-c", "pass")
    assert f"warning: {sys.executable} -I -c … could not be recorded: -I ignores PYTHONPATH" in alone.stderr
    assert "nothing was recorded" not in alone.stderr
    parent = "import subprocess, sys, mosaic_worker as m; m.metric('x', 1)\n"
    parent += "print(subprocess.Popen([sys.executable, '-E', '-m', 'this'], stdout=-3).pid)"
    beside = _run("--name", "beside", "--", sys.executable, "-c", parent)
    warning = (
        f"process {beside.stdout.strip()} ({sys.executable} -E -m this) could not be recorded: -E ignores"
    )
    assert f"warning: {warning}" in beside.stderr
    assert "1 metrics" in beside.stderr
    for name, words in (("alone", "-I ignores PYTHONPATH"), ("beside", warning)):
        shown = subprocess.run(
            [sys.executable, "-m", "mosaic", "show", name], capture_output=True, text=True, check=True
        )
        assert words in shown.stdout
    del root


def test_the_command_gets_our_environment_and_folder(root: DataRoot, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    done = _run(
        "--", "sh", "-c", 'echo "$SECRET" "$PWD"', cwd=work, env={**os.environ, "SECRET": "s3cret-canary"}
    )
    assert done.stdout == f"s3cret-canary {work}\n"
    found = subprocess.run(
        ["grep", "-rl", "s3cret-canary", str(root.path)], capture_output=True, text=True, check=False
    )
    assert {path.rsplit("/", 1)[-1] for path in found.stdout.splitlines()} == {"stdout.log"}


def test_detach_prints_the_id_alone_and_returns_at_once(root: DataRoot) -> None:
    done = _run("--detach", "--", "sleep", "60")
    assert done.returncode == 0
    run_id = done.stdout.strip()
    assert run_index.find(root, run_id).state.value in ("queued", "starting", "running")


def test_a_command_that_does_not_exist_starts_nothing(root: DataRoot) -> None:
    done = _run("--", "pyhton", "train.py")
    assert done.returncode == 127
    assert "no command 'pyhton'" in done.stderr
    assert not daemon_running(root)
    assert run_index.rows(root) == []


@pytest.mark.parametrize("args", [(), ("--",), ("--nmae", "x", "--", "true"), ("--tag", "x", "--", "true")])
def test_a_wrong_request_is_a_usage_error(
    root: DataRoot, mosaic: Callable[..., Said], args: tuple[str, ...]
) -> None:
    assert mosaic("run", *args).code == 2
    assert run_index.rows(root) == []


def test_ctrl_c_stops_the_run_cleanly(root: DataRoot) -> None:
    script = (
        "import time, sys\nprint('up', flush=True)\n"
        "try:\n time.sleep(60)\nexcept KeyboardInterrupt:\n print('saved'); sys.exit(3)"
    )
    with subprocess.Popen(
        [*MOSAIC, "run", "--", sys.executable, "-I", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert out == "saved\n"
    assert process.returncode == 3
    assert "stopping the run" in err
    assert run_index.find(root, "last").state.value == "stopped"


def test_a_second_ctrl_c_leaves_the_run_to_itself(root: DataRoot) -> None:
    script = "trap '' INT TERM; echo up; sleep 60 & wait; wait; wait"
    with subprocess.Popen(
        [*MOSAIC, "run", "--", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGINT)
        assert "stopping" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert "left run" in process.stderr.readline()
        process.communicate(timeout=30)
    assert process.returncode == 130
    del root


def test_a_daemon_that_dies_is_started_again_and_the_run_goes_on(root: DataRoot) -> None:
    line = json.dumps({"type": "metric", "name": "x", "value": 1.0})
    go = root.path / "go"
    script = f"echo '{line}'; while [ ! -e {go} ]; do sleep 0.05; done; echo '{line}'; exit 5"
    with subprocess.Popen(
        [*MOSAIC, "run", "--", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == line + "\n"
        pid = json.loads(root.daemon_info.read_text())["pid"]
        psutil.Process(pid).kill()
        assert "the daemon is gone; the run goes on" in process.stderr.readline()
        _wait_until(lambda: daemon_running(root))
        go.touch()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 5
    assert "2 metrics" in err
    assert err.count("daemon is gone") == 0, "it is said once"


def test_a_reader_that_leaves_does_not_end_the_run(root: DataRoot) -> None:
    endless = "while :; do echo x; sleep 0.01; done"
    with subprocess.Popen(
        [*MOSAIC, "run", "--", "sh", "-c", endless], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert b"nobody reads the output any more" in process.stderr.read()
    assert process.returncode == 141
    assert run_index.find(root, "last").state.value == "running"


def test_on_a_terminal_a_status_line_says_how_it_goes(root: DataRoot) -> None:
    ours, theirs = os.openpty()
    go = root.path / "go"
    script = f"echo begin; while [ ! -e {go} ]; do sleep 0.05; done"
    with subprocess.Popen(
        [*MOSAIC, "run", "--name", "seen", "--", "sh", "-c", script], stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        shown = b""
        while b"seen: running \xc2\xb7 0 episodes" not in shown:
            shown += os.read(ours, 4096)
        go.touch()
        while b"finished (exit code 0)" not in shown:
            shown += os.read(ours, 4096)
    os.close(ours)
    assert b"begin" in shown
