"""This machine as a place: a shim keeps each run, holds its lock, obeys `control.json`, writes `exit.json`.

The only part of the daemon that knows of pids, a run's locks and its order file. Judges by `mosaic.runs`, as
everybody does who looks at a run's folder without a daemon.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mosaic import worker_site
from mosaic.daemon.places.base import Order, Place, Sight
from mosaic.daemon.places.local import shim
from mosaic.daemon.places.local.launcher import Launcher
from mosaic.daemon.places.local.orphans import OrphanStop, members
from mosaic.errors import DataRootError
from mosaic.fastlane import segment
from mosaic.protocol.runs import Control, RunState, Want
from mosaic.runs import folder as runs
from mosaic.runs.lifecycle import Seen, Verdict, judge
from mosaic.runs.listing import last_line
from mosaic.runs.locks import Lock
from mosaic.text import os_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mosaic.paths import DataRoot, RunFolder
    from mosaic.protocol.runs import RunSpec
    from mosaic.settings import Settings

__all__ = ["LocalPlace"]

_ABOUT_LOCKS = {"folder", "shim.lock", "tree.lock"}
_LONGEST_RUNG_SECS = 31536000.0  # what control.json may say: a year


class LocalPlace(Place):
    """Runs as processes of this account.

    Args:
        root: The data root; the caller holds its daemon lock.
        settings: How long the rungs of the stop ladder are, and what workers record.
        grace_secs: How long processes may outlive their worker.
    """

    def __init__(self, root: DataRoot, settings: Settings, *, grace_secs: float = 10.0) -> None:
        self._root, self._settings = root, settings
        self._launcher = Launcher(grace_secs=grace_secs)
        self._ladders: dict[str, OrphanStop] = {}  # one per orphaned run that is being stopped
        self._site = Path()

    def start(self) -> None:
        """Install the copy of `mosaic_worker` that workers use; remove the live frames of dead workers."""
        self._site = worker_site.install(self._root)
        segment.sweep()

    def adopt(self, folder: RunFolder) -> None:
        """Go on stopping an orphaned run where an earlier daemon began to. Runs with a shim need nothing."""
        seen = _look(folder)
        stopping = seen.control is not None and seen.control.want is Want.STOP
        if stopping and judge(seen).state is RunState.ORPHANED:
            self._end_directly(folder, seen)

    def launch(
        self, folder: RunFolder, spec: RunSpec, env: Mapping[str, str], *, record: Callable[[], None]
    ) -> None:
        """Start the run's shim, which holds the run until `control.json` says otherwise."""
        try:
            # SYNC: the shim's lock is taken before the manifest makes this a run, and handed over to the
            # shim: a run is never seen without a holder unless its shim is really gone.
            lock = Lock(folder.shim_lock)
        except BlockingIOError:
            return  # it has a shim already
        with lock:
            seen = runs.observe(folder)
            if _begun(seen):
                return  # it had one before
            record()
            runs.write_control(folder, self._control(Order(want=Want.HOLD)))
            worker_env = worker_site.worker_environment(
                env, site=self._site, folder=folder, spec=spec, settings=self._settings
            )
            self._launcher.spawn(folder, spec.command, worker_env, lock)

    def observe(self, folder: RunFolder) -> Sight:
        """Judge what the run's folder and its locks show."""
        seen = _look(folder)
        verdict = judge(seen)
        if verdict.state is RunState.LOST:
            verdict = self._how_lost(folder, seen)
        return Sight(
            verdict=verdict,
            kept=seen.shim_alive,
            alive=seen.shim_alive or seen.tree_alive,
            begun=_begun(seen),
            want=None if seen.control is None else seen.control.want,
            by_reserve=seen.control is not None and seen.control.by_reserve,
            started=seen.started,
            exit=seen.exit,
        )

    def order(self, folder: RunFolder, order: Order) -> None:
        """Replace `control.json`, which the shim reads; a run without a shim is stopped directly."""
        orphan: Seen | None = None
        if order.want is Want.STOP:
            seen = _look(folder)
            if not seen.shim_alive and seen.exit is None:
                if not seen.tree_alive and not members(folder, seen.proc):
                    return  # nothing is left to stop, so nothing is written: it was lost before
                orphan = seen
        try:
            runs.write_control(folder, self._control(order))
        except OSError as error:
            if orphan is None:  # else it is ended without its folder
                raise DataRootError(
                    f"cannot write {folder.control}: {os_words(error, named=True)}"
                ) from error
        if orphan is not None:
            self._end_directly(folder, orphan)

    def tend(self) -> None:
        """Collect shims that ended; send the signals that are due to orphaned runs."""
        self._launcher.reap()
        for run_id, ladder in list(self._ladders.items()):
            if ladder.climb(time.monotonic()):
                del self._ladders[run_id]

    def collect(self, folder: RunFolder) -> None:
        """Remove the live frames of the run's dead processes from shared memory."""
        segment.sweep_run(folder)

    def close(self) -> None:
        """Forget the shims. They go on."""
        self._launcher.close()

    def _how_lost(self, folder: RunFolder, seen: Seen) -> Verdict:
        """With what only a shim's parent and its own log can tell of its end."""
        status = self._launcher.failed(folder.run_id)
        verdict = judge(msgspec.structs.replace(seen, shim_status=status))
        said = last_line(folder.path / shim.LOG) if status is not None else ""
        return Verdict(verdict.state, f"{verdict.reason}: {said}") if said else verdict

    def _end_directly(self, folder: RunFolder, seen: Seen) -> None:
        if folder.run_id not in self._ladders:
            self._ladders[folder.run_id] = OrphanStop(
                folder,
                seen.proc,
                int_secs=self._settings.stop_int_secs,
                term_secs=self._settings.stop_term_secs,
            )
        self.tend()

    def _control(self, order: Order) -> Control:
        return Control(
            want=order.want,
            reason=order.reason,
            by_reserve=order.by_reserve,
            int_secs=min(max(0.0, self._settings.stop_int_secs), _LONGEST_RUNG_SECS),
            term_secs=min(max(0.0, self._settings.stop_term_secs), _LONGEST_RUNG_SECS),
        )


def _look(folder: RunFolder) -> Seen:
    """One look at a run's folder. Where a lock cannot be asked who holds it, the processes are."""
    seen = runs.observe(folder)
    if not seen.bad.keys() & _ABOUT_LOCKS:
        return seen
    family = {process.pid for process in members(folder, seen.proc)}
    shim_pid = None if seen.proc is None else seen.proc.shim_pid
    return msgspec.structs.replace(
        seen, shim_alive=seen.shim_alive or shim_pid in family, tree_alive=bool(family - {shim_pid})
    )


def _begun(seen: Seen) -> bool:
    """A record that cannot be read was written once: such a run is never launched again."""
    records = ("proc.json", "exit.json")
    return seen.proc is not None or seen.exit is not None or any(name in seen.bad for name in records)
