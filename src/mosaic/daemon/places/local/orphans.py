"""Runs whose shim was killed: find what is left of them, and stop it directly.

Found by the run's folder in the environment of our own user's processes, which children inherit, and by what
is below those. By the folder, not the id: clients choose ids, so another data root may have a run of the same
one. Refuses to touch a process it cannot tell by pid *and* start time.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.daemon.places.local.processes import Process, all_processes, boot_id, descendants, look, send

if TYPE_CHECKING:
    from mosaic.paths import RunFolder
    from mosaic.protocol.runs import ProcRecord

__all__ = ["OrphanStop", "members", "rung"]


_MARK = b"MOSAIC_RUN_DIR="


def members(folder: RunFolder, proc: ProcRecord | None) -> list[Process]:
    """Every live process that belongs to a run without a shim."""
    found = {process for process in all_processes() if _carries(process.pid, folder)}
    if proc is not None and proc.worker_pid is not None and proc.boot_id == boot_id():
        worker = look(proc.worker_pid)
        if worker is not None and worker.start_ticks == proc.worker_start_ticks:
            found.add(worker)
    if found:
        found.update(descendants(*(process.pid for process in found)))
    return sorted(process for process in found if process.pid != os.getpid())


def _carries(pid: int, folder: RunFolder) -> bool:
    entry = Path("/proc") / str(pid)
    try:
        if entry.stat().st_uid != os.getuid():
            return False
        variables = (entry / "environ").read_bytes().split(b"\0")
        marks = [Path(os.fsdecode(one.removeprefix(_MARK))) for one in variables if one.startswith(_MARK)]
        # The same folder, however its data root is spelled. The name first: it costs no look at a disk.
        return any(mark.name == folder.run_id and mark.samefile(folder.path) for mark in marks)
    except OSError:
        return False


def rung(elapsed_secs: float, *, int_secs: float, term_secs: float) -> signal.Signals:
    """Which signal of the ladder is due. Pure."""
    if elapsed_secs < int_secs:
        return signal.SIGINT
    return signal.SIGTERM if elapsed_secs < int_secs + term_secs else signal.SIGKILL


class OrphanStop:
    """The stop ladder for one orphaned run, climbed a little at every tick."""

    def __init__(
        self, folder: RunFolder, proc: ProcRecord | None, *, int_secs: float, term_secs: float
    ) -> None:
        self._folder, self._proc = folder, proc
        self._int_secs, self._term_secs = int_secs, term_secs
        self._began: float | None = None
        self._sent: set[tuple[Process, int]] = set()

    def climb(self, monotonic_secs: float) -> bool:
        """Send what is due; whether nothing is left."""
        if self._began is None:
            self._began = monotonic_secs
        due = rung(monotonic_secs - self._began, int_secs=self._int_secs, term_secs=self._term_secs)
        left = members(self._folder, self._proc)
        for process in left:
            if (process, due) not in self._sent:
                send(process, due)
                send(process, signal.SIGCONT)
                self._sent.add((process, due))
        return not left
