"""Real daemons for tests: started on a private data root, stopped at the end, with nothing left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from ulid import ULID

from mosaic.errors import MosaicError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import DELETABLE, ENDED, RunRow, RunSpec
from mosaic.rpc.launch import connect, daemon_running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mosaic.rpc.client import Client

__all__ = ["Daemon", "daemon", "shared_daemon", "until"]


def until(happened: Callable[[], object], *, timeout_secs: float = 60.0) -> None:
    """Wait for something to happen; fail when it does not."""
    deadline = time.monotonic() + timeout_secs
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


class Daemon:
    """The daemon of one data root, and a client of it."""

    def __init__(self, root: DataRoot) -> None:
        self.root = root
        self.client: Client = connect(root, wait_secs=30)

    @property
    def pid(self) -> int:
        """The daemon's process."""
        return self.client.status().pid

    def kill(self) -> None:
        """End the daemon as a crash would, and wait until it is gone, and its ingest with it.

        Ingest ends by itself when its daemon is gone, after the turn it is in: until then it still stores.
        """
        pid = self.pid
        ingest = [child for child in psutil.Process(pid).children() if _is_ingest(child)]
        os.kill(pid, signal.SIGKILL)
        until(lambda: not daemon_running(self.root))
        until(lambda: not any(_is_ingest(process) for process in ingest))

    def reconnect(self) -> Client:
        """A new client, of a new daemon if the old one is gone."""
        self.client.close()
        self.client = connect(self.root, wait_secs=30)
        return self.client

    def submit(self, command: list[str], *, run_id: str = "", name: str = "") -> RunRow:
        """Start a run."""
        spec = RunSpec(run_id=run_id or str(ULID()), command=command, cwd="/", name=name)
        return self.client.submit(spec, dict(os.environ))

    def wait(self, run_id: str) -> RunRow:
        """Wait until a run has ended."""
        until(lambda: self.client.run(run_id).state in ENDED)
        return self.client.run(run_id)


def _is_ingest(process: psutil.Process) -> bool:
    try:
        return "mosaic.daemon.ingest" in process.cmdline()
    except psutil.Error:  # a shim that has just ended
        return False


@contextlib.contextmanager
def running_daemon(root: DataRoot) -> Iterator[Daemon]:
    """A daemon for the time of a block, with its runs."""
    running: Daemon | None = None
    try:
        running = Daemon(root)
        yield running
    finally:
        if running is not None:
            running.client.close()
        if daemon_running(root) or any(root.runs.glob("*/shim.lock")):
            _stop(root)
        with contextlib.suppress(AssertionError):
            until(lambda: not _processes_of(root.path), timeout_secs=60)
        left = _processes_of(root.path)
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        assert not left, f"left processes behind: {left}"


def _stop(root: DataRoot) -> None:
    with contextlib.suppress(MosaicError), connect(root, wait_secs=30, same_version=False) as client:
        for row in client.runs():
            if row.state not in ENDED:
                client.stop(row.run_id)
        until(lambda: all(row.state in DELETABLE for row in client.runs()))
        client.shutdown()
    until(lambda: not daemon_running(root))


def _processes_of(path: Path) -> list[psutil.Process]:
    """Processes that have the data root in their command line, other than this one."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and any(str(path) in part for part in process.cmdline()):
                found.append(process)
    return found


@pytest.fixture
def daemon(home: Path) -> Iterator[Daemon]:
    """A daemon of this test's own."""
    with running_daemon(DataRoot(home)) as running:
        yield running


@pytest.fixture(scope="module")
def shared_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon for the tests of a file that do not harm it."""
    path = tmp_path_factory.mktemp("shared") / "home"
    path.mkdir(mode=0o700)
    with running_daemon(DataRoot(path)) as running:
        yield running
