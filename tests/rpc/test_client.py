"""The client: every failure is one of our errors, with words for people."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from mosaic.errors import DaemonError, MosaicError
from mosaic.paths import DataRoot
from mosaic.rpc.client import Client
from mosaic.runs.files import write_atomically
from tests.daemons import Daemon


def test_without_a_token_there_never_was_a_daemon(home: Path) -> None:
    with pytest.raises(DaemonError, match="No daemon has run in .*mosaic daemon start"):
        Client(DataRoot(home))


def test_a_daemon_that_is_gone_does_not_answer(home: Path) -> None:
    root = DataRoot(home)
    root.daemon.mkdir(mode=0o700)
    write_atomically(root.token, b"0" * 64)
    with Client(root) as client, pytest.raises(DaemonError, match="does not answer.*mosaic daemon start"):
        client.runs()


def test_a_daemon_that_hangs_meets_the_deadline(daemon: Daemon) -> None:
    pid = daemon.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        with Client(daemon.root, timeout_secs=0.2) as client, pytest.raises(DaemonError, match="in time"):
            client.runs()
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_wrong_token_is_said_to_be_one(daemon: Daemon) -> None:
    right = daemon.root.token.read_bytes()
    write_atomically(daemon.root.token, b"0" * 64)
    try:
        with Client(daemon.root) as client:
            with pytest.raises(DaemonError, match="does not accept the token"):
                client.status()
            with pytest.raises(DaemonError, match="does not accept the token"):
                next(client.watch_runs())
    finally:
        write_atomically(daemon.root.token, right)


def test_a_stream_needs_credits(daemon: Daemon) -> None:
    with pytest.raises(MosaicError, match="at least one credit, not 0"):
        daemon.client.stream_steps("last", credits=0)


def test_a_closed_client_can_be_closed_again(daemon: Daemon) -> None:
    client = Client(daemon.root)
    client.close()
    client.close()
