"""Finding the daemon of a data root, and starting it when there is none. Importing this loads no gRPC.

Whether a daemon runs is asked of its lock, which the kernel frees when it dies: no pid, no ping.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import mosaic
from mosaic.errors import DaemonError, DataRootError
from mosaic.runs.locks import held

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.paths import DataRoot
    from mosaic.rpc.client import Client

__all__ = [
    "EXIT_BAD_ROOT",
    "connect",
    "daemon_environment",
    "daemon_running",
    "start_daemon",
    "wait_until_gone",
]

EXIT_BAD_ROOT = 3
"""How the daemon's process ends when it refuses its data root."""

_POLL_SECS = 0.02
_OF_A_WORKER = ("MOSAIC_RUN_DIR", "MOSAIC_RUN_ID", "MOSAIC_RECORD", "MOSAIC_SOCKET", "MOSAIC_TOKEN_FILE")
_OF_A_DAEMON = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|VIRTUAL_ENV|CONDA_PREFIX"
    r"|LD_LIBRARY_PATH|LD_PRELOAD|PYTHON\w*|MOSAIC_\w+|COVERAGE_\w+|GIT_CONFIG_\w+|GIT_EXEC_PATH|GRPC_\w+"
)
"""What the daemon and its ingest need: to find programs, folders and themselves. Each run has the variables
of its own caller; the daemon outlives its first caller, and keeps no others of his."""


def daemon_running(root: DataRoot) -> bool:
    """Whether a daemon holds this data root now."""
    return held(root.daemon_lock)


def connect(
    root: DataRoot, *, start: bool = True, wait_secs: float = 30, same_version: bool = True
) -> Client:
    """A client of the data root's daemon, which is started when none runs and outlives the caller.

    Raises:
        DaemonError: none runs and none was to be started, it does not answer within `wait_secs`, or it is of
            another version (not checked when `same_version` is False, so that one can stop it).
        DataRootError: the daemon refused the data root.
    """
    from mosaic.rpc.client import Client  # noqa: PLC0415  (gRPC is slow to import)

    until = time.monotonic() + wait_secs
    last: DaemonError | None = None
    while True:
        if daemon_running(root):
            try:
                client = Client(root)
                try:
                    status = client.status(timeout_secs=max(0.1, until - time.monotonic()))
                except BaseException:
                    client.close()
                    raise
            except DaemonError as error:
                last = error  # it is about to start, or about to go
            else:
                if same_version and status.version != mosaic.__version__:
                    client.close()
                    raise DaemonError(
                        f"The daemon of {root.path} (pid {status.pid}) is MOSAIC {status.version}, and "
                        f"this is {mosaic.__version__}. Stop it with: mosaic daemon stop. Runs go on, and "
                        "the next command starts the right one."
                    )
                return client
        elif not start:
            raise DaemonError(f"No daemon runs for {root.path}. Start it with: mosaic daemon start")
        else:
            start_daemon(root, wait_secs=max(0.1, until - time.monotonic()))
        if time.monotonic() > until:
            raise DaemonError(
                f"The daemon of {root.path} did not answer within {wait_secs:g} s; see {root.daemon_log}."
                + (f" Last: {last}" if last else "")
            )
        time.sleep(_POLL_SECS)


def start_daemon(root: DataRoot, *, wait_secs: float = 30) -> None:
    """Start a daemon in a session of its own and wait until it answers; no harm if one runs already.

    Raises:
        DaemonError: it could not start; the error says what it said.
        DataRootError: it refused the data root.
    """
    command = [sys.executable, "-m", "mosaic.daemon", "--home", str(root.path)]
    try:
        done = subprocess.run(  # the process forks the daemon and ends once that one answers
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=daemon_environment(root, os.environ),
            timeout=wait_secs,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DaemonError(
            f"The daemon of {root.path} did not start within {wait_secs:.0f} s; see {root.daemon_log}."
        ) from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        if done.returncode == EXIT_BAD_ROOT:
            raise DataRootError(said)
        raise DaemonError(f"The daemon could not start: {said}")


def daemon_environment(root: DataRoot, environ: Mapping[str, str]) -> dict[str, str]:
    """The daemon's environment: of the caller's what a daemon needs, and no secret; nothing of a worker."""
    from mosaic_worker.common.redact import is_secret_name  # noqa: PLC0415  (patterns; rarely needed)

    env = {
        name: value
        for name, value in environ.items()
        if _OF_A_DAEMON.fullmatch(name) and name not in _OF_A_WORKER and not is_secret_name(name)
    }
    env["MOSAIC_HOME"] = str(root.path)
    site = str(root.worker_site)
    if "PYTHONPATH" in env:
        kept = [entry for entry in env["PYTHONPATH"].split(os.pathsep) if not entry.startswith(site)]
        env["PYTHONPATH"] = os.pathsep.join(kept)
    return env


def wait_until_gone(root: DataRoot, *, wait_secs: float = 30) -> None:
    """Wait until no daemon holds the data root, after `Client.shutdown`.

    Raises:
        DaemonError: it is still there.
    """
    until = time.monotonic() + wait_secs
    while daemon_running(root):
        if time.monotonic() > until:
            raise DaemonError(f"The daemon of {root.path} is still there after {wait_secs:g} s.")
        time.sleep(_POLL_SECS)
