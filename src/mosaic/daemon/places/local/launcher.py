"""Mechanism for one run at a time: start its shim, collect it when it has ended, know how it failed.

Decides nothing.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.daemon.places.local import shim
from mosaic.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mosaic.paths import RunFolder
    from mosaic.runs.locks import Lock

__all__ = ["Launcher"]

_log = logging.getLogger(__name__)


class Launcher:
    """Starts shims. They are meant to outlive us: closing leaves them alone."""

    def __init__(self, *, grace_secs: float = 10.0) -> None:
        self._grace_secs = grace_secs
        self._shims: dict[str, subprocess.Popen[bytes]] = {}
        self._failed: dict[str, int] = {}  # the exit status of each run's shim that did not end well

    def spawn(self, folder: RunFolder, words: Sequence[str], env: Mapping[str, str], lock: Lock) -> None:
        """Start the shim of a run; it inherits the lock, so at no moment does nobody hold it.

        Args:
            folder: The run's folder, with its manifest and a first order in it.
            words: The worker's command. It may hold secrets, which the manifest's does not: the shim reads it
                from a file in memory.
            env: The worker's variables. They may hold secrets too: they go from memory to memory.
            lock: The held shim.lock. The caller closes its own side afterwards.

        Raises:
            LaunchError: the shim itself could not be started.
        """
        self._failed.pop(folder.run_id, None)
        command = [sys.executable, "-I", "-S", str(Path(shim.__file__)), str(folder.path)]
        try:
            told = _in_memory(json.dumps(list(words)).encode())
        except OSError as error:
            raise LaunchError(f"cannot start the shim of run {folder.run_id}: {error}") from error
        try:
            self._shims[folder.run_id] = subprocess.Popen(
                [*command, str(lock.fd), str(self._grace_secs), str(told)],
                env=dict(env),
                pass_fds=(lock.fd, told),
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
            )
        except (OSError, ValueError) as error:
            raise LaunchError(f"cannot start the shim of run {folder.run_id}: {error}") from error
        finally:
            os.close(told)

    def reap(self) -> None:
        """Collect the shims that ended, so that none stays behind as a zombie."""
        for run_id, process in list(self._shims.items()):
            status = process.poll()
            if status is not None:
                self._note(run_id, status)

    def failed(self, run_id: str, *, wait_secs: float = 1.0) -> int | None:
        """How a shim failed whose lock is free; None when it did not, or when another daemon started it.

        May be called on any thread. Waits for the moment between the end of its lock and its own.
        """
        process = self._shims.get(run_id)
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._note(run_id, process.wait(wait_secs))
        return self._failed.get(run_id)

    def _note(self, run_id: str, status: int) -> None:
        if status:
            self._failed[run_id] = status
        if self._shims.pop(run_id, None) is not None and status:  # once, whichever thread sees it first
            _log.warning("run %s: its shim ended with status %d", run_id, status)

    def close(self) -> None:
        """Forget the shims. They go on."""
        self.reap()
        for process in self._shims.values():
            process.returncode = 0  # ours no longer: Popen must not warn about a child meant to outlive us
        self._shims.clear()


def _in_memory(data: bytes) -> int:
    """A descriptor of a file without a name that holds this, to be read from its beginning."""
    fd = os.memfd_create("mosaic-command")
    try:
        with os.fdopen(os.dup(fd), "wb") as file:
            file.write(data)
        os.lseek(fd, 0, os.SEEK_SET)
    except BaseException:
        os.close(fd)
        raise
    return fd
