"""Runs whose shim was killed: find what is left of them, and stop it directly.

Found by the run's id in the environment of our own user's processes, which children inherit, and by what is
below those. Refuses to touch a process it cannot tell by pid *and* start time.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.daemon.places.local.processes import Process, all_processes, boot_id, descendants, look, send

if TYPE_CHECKING:
    from mosaic.protocol.runs import ProcRecord

__all__ = ["OrphanStop", "members", "rung"]


def members(run_id: str, proc: ProcRecord | None) -> list[Process]:
    """Every live process that belongs to a run without a shim."""
    mark = b"MOSAIC_RUN_ID=" + os.fsencode(run_id)
    found = {process for process in all_processes() if _carries(process.pid, mark)}
    if proc is not None and proc.worker_pid is not None and proc.boot_id == boot_id():
        worker = look(proc.worker_pid)
        if worker is not None and worker.start_ticks == proc.worker_start_ticks:
            found.add(worker)
    if found:
        found.update(descendants(*(process.pid for process in found)))
    return sorted(process for process in found if process.pid != os.getpid())


def _carries(pid: int, mark: bytes) -> bool:
    entry = Path("/proc") / str(pid)
    try:
        if entry.stat().st_uid != os.getuid():
            return False
        return mark in (entry / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def rung(elapsed_secs: float, *, int_secs: float, term_secs: float) -> signal.Signals:
    """Which signal of the ladder is due. Pure."""
    if elapsed_secs < int_secs:
        return signal.SIGINT
    return signal.SIGTERM if elapsed_secs < int_secs + term_secs else signal.SIGKILL


class OrphanStop:
    """The stop ladder for one orphaned run, climbed a little at every tick."""

    def __init__(self, run_id: str, proc: ProcRecord | None, *, int_secs: float, term_secs: float) -> None:
        self._run_id, self._proc = run_id, proc
        self._int_secs, self._term_secs = int_secs, term_secs
        self._began: float | None = None
        self._sent: set[tuple[Process, int]] = set()

    def climb(self, monotonic_secs: float) -> bool:
        """Send what is due; whether nothing is left."""
        if self._began is None:
            self._began = monotonic_secs
        due = rung(monotonic_secs - self._began, int_secs=self._int_secs, term_secs=self._term_secs)
        left = members(self._run_id, self._proc)
        for process in left:
            if (process, due) not in self._sent:
                send(process, due)
                send(process, signal.SIGCONT)
                self._sent.add((process, due))
        return not left
