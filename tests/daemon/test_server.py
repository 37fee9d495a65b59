"""One daemon per data root, closed to others, that neither a crash nor a fault of its own gets down."""

from __future__ import annotations

import logging
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import psutil
import pytest

import mosaic
from mosaic.daemon.server import DaemonInfo, log_to
from mosaic.errors import DaemonError, DataRootError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunState
from mosaic.rpc.launch import connect, daemon_running, start_daemon, wait_until_gone
from tests.daemons import Daemon, running_daemon, until


def test_twenty_starts_at_once_give_one_daemon_and_everybody_a_client(home: Path) -> None:
    root = DataRoot(home)
    pids: list[int] = []
    failures: list[BaseException] = []

    def start() -> None:
        try:
            start_daemon(root, wait_secs=60)
            with connect(root, wait_secs=60) as client:
                pids.append(client.status().pid)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=start) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with running_daemon(root):
        assert failures == []
        assert len(pids) == 20
        assert len(set(pids)) == 1


def test_a_killed_daemon_leaves_a_socket_that_the_next_one_replaces(daemon: Daemon) -> None:
    first = daemon.pid
    old_client = daemon.client
    daemon.kill()
    assert daemon.root.socket.exists()
    with pytest.raises(DaemonError, match="does not answer"):
        old_client.status()
    with connect(daemon.root, wait_secs=30) as client:
        assert client.status().pid != first
    until(lambda: _answers(daemon))  # the old client finds the new daemon by itself


def _answers(daemon: Daemon) -> bool:
    try:
        return daemon.client.status().faults == 0
    except DaemonError:
        return False


def test_a_run_goes_on_when_the_daemon_is_killed_and_the_next_one_shows_it(daemon: Daemon) -> None:
    row = daemon.submit(["sleep", "60"])
    until(lambda: daemon.client.run(row.run_id).state is RunState.RUNNING)
    daemon.kill()
    assert daemon.reconnect().run(row.run_id).state is RunState.RUNNING


def test_sigterm_ends_the_daemon_in_good_order(daemon: Daemon) -> None:
    pid = daemon.pid
    info = msgspec.json.decode(daemon.root.daemon_info.read_bytes(), type=DaemonInfo)
    assert info == DaemonInfo(pid=pid, version=mosaic.__version__, protocol=1, socket=str(daemon.root.socket))
    os.kill(pid, signal.SIGTERM)
    wait_until_gone(daemon.root, wait_secs=30)
    assert not daemon.root.socket.exists()
    assert not daemon.root.daemon_info.exists()


def test_the_daemon_listens_on_no_network(daemon: Daemon) -> None:
    daemon.client.runs()
    process = psutil.Process(daemon.pid)
    for one in (process, *process.children(recursive=True)):
        assert one.net_connections(kind="inet") == []


def test_nothing_in_the_data_root_is_open_to_others_whatever_the_umask(home: Path) -> None:
    before = os.umask(0)
    try:
        with running_daemon(DataRoot(home)) as daemon:
            row = daemon.submit(["sh", "-c", "echo hello"])
            daemon.wait(row.run_id)
            for path in (home, *home.rglob("*")):
                info = path.lstat()
                assert not info.st_mode & 0o077, path
                assert info.st_uid == os.getuid(), path
            assert stat.S_ISSOCK(daemon.root.socket.lstat().st_mode)
    finally:
        os.umask(before)


@pytest.mark.parametrize("which", [".", "daemon", "runs"])
def test_a_data_root_that_others_may_enter_is_refused(home: Path, which: str) -> None:
    folder = home / which
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o755)
    with pytest.raises(DataRootError, match="open to other accounts.*chmod 700"):
        connect(DataRoot(home), wait_secs=30)
    assert not daemon_running(DataRoot(home))


def test_a_file_where_the_socket_belongs_is_not_removed(home: Path) -> None:
    root = DataRoot(home)
    root.daemon.mkdir(mode=0o700)
    root.socket.write_text("precious")
    with pytest.raises(DataRootError, match="is not a socket"):
        connect(root, wait_secs=30)
    assert root.socket.read_text() == "precious"


def test_settings_that_are_wrong_are_told_to_whoever_starts_the_daemon(home: Path) -> None:
    (home / "settings.toml").write_text("max_runing = 3\n")
    with pytest.raises(DaemonError, match="max_runing"):
        connect(DataRoot(home), wait_secs=30)


OTHER = """
import sys
import mosaic
{change}
from mosaic.daemon.__main__ import main
sys.exit(main(["--home", sys.argv[1]]))
"""


def start_other_daemon(home: Path, change: str) -> None:
    """Start a daemon that differs from ours."""
    subprocess.run([sys.executable, "-c", OTHER.format(change=change), str(home)], check=True, timeout=60)


def test_a_daemon_of_another_version_is_named_and_can_be_stopped(home: Path) -> None:
    root = DataRoot(home)
    start_other_daemon(home, "mosaic.__version__ = '0.0.9'")
    with pytest.raises(DaemonError, match=r"is MOSAIC 0\.0\.9, and this is .*mosaic daemon stop"):
        connect(root, wait_secs=30)
    with connect(root, same_version=False) as client:
        client.shutdown()
    wait_until_gone(root, wait_secs=30)


def test_a_failing_tick_is_counted_and_shown_and_the_daemon_lives(home: Path) -> None:
    change = "from mosaic.daemon.trainer import Trainer; Trainer.tick = lambda self: 1 / 0"
    start_other_daemon(home, change)
    with running_daemon(DataRoot(home)) as daemon:
        until(lambda: daemon.client.status().faults > 1)
        assert daemon.client.status().last_fault == "tick: ZeroDivisionError: division by zero"
        assert "ZeroDivisionError" in daemon.root.daemon_log.read_text()


def test_a_failing_call_is_counted_and_the_caller_is_told_where_to_look(home: Path) -> None:
    change = "from mosaic.daemon.trainer import Trainer; Trainer.pause = lambda self, run_id: {}['key']"
    start_other_daemon(home, change)
    with running_daemon(DataRoot(home)) as daemon:
        row = daemon.submit(["true"])
        with pytest.raises(DaemonError, match=r"KeyError in PauseRun; see .*daemon\.log"):
            daemon.client.pause(row.run_id)
        assert daemon.client.status().faults == 1


def test_the_log_stays_within_its_bounds(home: Path) -> None:
    root = DataRoot(home)
    root.daemon.mkdir(mode=0o700)
    handlers, level = logging.root.handlers[:], logging.root.level
    try:
        logging.root.handlers = []
        log_to(root, max_bytes=2000, kept=1)
        for number in range(500):
            logging.getLogger("mosaic.daemon").info("line %d", number)
        logging.root.handlers[0].close()
    finally:
        logging.root.handlers, logging.root.level = handlers, level
    sizes = {path.name: path.stat().st_size for path in root.daemon.iterdir()}
    assert set(sizes) == {"daemon.log", "daemon.log.1"}
    assert all(size <= 2000 for size in sizes.values())


def test_a_daemon_whose_lock_was_replaced_leaves_and_the_next_one_keeps_its_socket(daemon: Daemon) -> None:
    first = psutil.Process(daemon.pid)
    daemon.client.close()  # or the next client would share its connection
    os.kill(first.pid, signal.SIGSTOP)  # it notices nothing until the next one serves
    daemon.root.daemon_lock.unlink()
    try:
        with connect(daemon.root, wait_secs=30) as client:
            second = client.status().pid
        assert second != first.pid
    finally:
        os.kill(first.pid, signal.SIGTERM)
        os.kill(first.pid, signal.SIGCONT)
    until(lambda: not first.is_running() or first.status() == psutil.STATUS_ZOMBIE)
    assert daemon.root.socket.exists()
    assert msgspec.json.decode(daemon.root.daemon_info.read_bytes(), type=DaemonInfo).pid == second
    assert daemon.reconnect().status().pid == second


@pytest.mark.parametrize("name", ["daemon_lock", "socket"])
def test_a_daemon_whose_lock_or_socket_is_gone_leaves_by_itself(daemon: Daemon, name: str) -> None:
    first = psutil.Process(daemon.pid)
    getattr(daemon.root, name).unlink()
    until(lambda: not first.is_running() or first.status() == psutil.STATUS_ZOMBIE)
    assert "no longer the one" in daemon.root.daemon_log.read_text()
    assert daemon.reconnect().status().pid != first.pid
    assert sorted(path.name for path in daemon.root.socket.parent.glob("s-*")) == []
