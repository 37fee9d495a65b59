"""The daemon's program: what it says and how it ends, away from its caller's terminal or in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

from mosaic.paths import DataRoot
from mosaic.rpc.launch import EXIT_BAD_ROOT, connect, daemon_running, wait_until_gone
from tests.daemons import Daemon, running_daemon, until


def program(home: Path, *words: str, change: str = "") -> tuple[int, str]:
    """Run the program to its end: its exit code, and what it said. `change` is done to MOSAIC first."""
    start = f"{change}\nimport sys\nfrom mosaic.daemon.__main__ import main\nsys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", start, "--home", str(home), *words],
        input="",
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_a_second_daemon_on_the_same_root_ends_at_once_in_peace(daemon: Daemon) -> None:
    command = [sys.executable, "-m", "mosaic.daemon", "--home", str(daemon.root.path), "--foreground"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert daemon.client.status().pid == daemon.pid


def test_whoever_is_a_moment_too_late_ends_in_peace_too(daemon: Daemon) -> None:
    late = "import mosaic.rpc.launch\nmosaic.rpc.launch.daemon_running = lambda root: False"
    assert program(daemon.root.path, change=late) == (0, "")


def test_the_daemon_has_its_own_session_and_no_terminal_or_pipe_of_its_caller(daemon: Daemon) -> None:
    pid = daemon.pid
    assert os.getsid(pid) != os.getsid(0)
    assert psutil.Process(pid).cwd() == "/"
    for fd in (0, 1):
        assert Path(f"/proc/{pid}/fd/{fd}").readlink() == Path(os.devnull)
    assert Path(f"/proc/{pid}/fd/2").readlink() == daemon.root.daemon_log
    assert os.getsid(pid) != pid  # not a session leader: it can never get a terminal


def test_the_program_returns_once_the_daemon_answers_and_knows_the_root_by_its_full_name(home: Path) -> None:
    root = DataRoot(home)
    here = Path.cwd()
    try:
        os.chdir(home.parent)
        assert program(Path(home.name)) == (0, "")
    finally:
        os.chdir(here)
    assert daemon_running(root)
    with running_daemon(root) as daemon:
        for fd in (0, 1):
            assert Path(f"/proc/{daemon.pid}/fd/{fd}").readlink() == Path(os.devnull)


def test_a_root_it_refuses_and_settings_it_cannot_read_are_told_apart(home: Path) -> None:
    (home / "settings.toml").write_text("max_runing = 3\n")
    code, said = program(home)
    assert code == 1
    assert "max_runing" in said
    home.chmod(0o755)
    for words in ((), ("--foreground",)):
        code, said = program(home, *words)
        assert code == EXIT_BAD_ROOT
        assert "open to other accounts" in said
        assert "Traceback" not in said
    home.chmod(0o700)
    assert not daemon_running(DataRoot(home))


def test_a_daemon_that_dies_at_its_start_says_where_to_look_and_its_last_words(home: Path) -> None:
    dies = "import mosaic.daemon.server as s\ndef claim(root): raise RuntimeError('no luck')\ns.claim = claim"
    code, said = program(home, change=dies)
    assert code == 1
    assert f"the daemon of {home} died at its start; see {DataRoot(home).daemon_log}" in said
    assert said.rstrip().endswith("RuntimeError: no luck")


def test_what_the_interpreter_says_at_its_end_is_in_the_log(home: Path) -> None:
    root = DataRoot(home)
    aborts = (
        "import os, mosaic.daemon.server as s\n"
        "async def serve(self, *, on_ready): on_ready(); os.abort()\n"
        "s.Server.serve = serve"
    )
    assert program(home, change=aborts) == (0, "")
    until(lambda: not daemon_running(root))
    until(lambda: "Fatal Python error: Aborted" in root.daemon_log.read_text())
    assert root.daemon_log.stat().st_mode & 0o077 == 0


def test_in_the_foreground_it_stays_until_it_is_stopped(home: Path) -> None:
    root = DataRoot(home)
    process = subprocess.Popen(
        [sys.executable, "-m", "mosaic.daemon", "--home", str(home), "--foreground"], stderr=subprocess.PIPE
    )
    with process:
        until(lambda: daemon_running(root))
        with connect(root, start=False) as client:
            assert client.status().pid == process.pid
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b"Traceback" not in said
    wait_until_gone(root, wait_secs=30)


def test_a_daemon_in_the_foreground_leaves_its_callers_variables_behind_too(home: Path) -> None:
    command = [sys.executable, "-m", "mosaic.daemon", "--home", str(home), "--foreground"]
    env = {**os.environ, "MY_PROJECT": "canary-of-the-caller"}
    with subprocess.Popen(command, env=env) as process:
        try:
            until(lambda: daemon_running(DataRoot(home)))
            with connect(DataRoot(home), start=False) as client:
                assert client.status().pid == process.pid
            held = Path(f"/proc/{process.pid}/environ").read_text().split("\0")
            assert "canary-of-the-caller" not in "".join(held)
            assert f"PATH={os.environ['PATH']}" in held
        finally:
            process.terminate()
            process.wait(timeout=60)
