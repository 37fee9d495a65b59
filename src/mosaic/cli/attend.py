"""Staying with a run until it ends: its output, a status line, Ctrl-C, and a daemon that may die."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from mosaic.app import reading, run_index
from mosaic.cli.follow import Arrivals, Tail
from mosaic.cli.output import abandon_stdout
from mosaic.cli.progress import Passing
from mosaic.cli.staying import Staying
from mosaic.errors import DaemonError, MosaicError, StoreError
from mosaic.protocol.rows import StoreSummary
from mosaic.protocol.runs import ENDED, RunRow, RunState, elapsed_secs
from mosaic.runs import freshness
from mosaic.runs.locks import held
from mosaic.store.glance import glance
from mosaic.store.lag import lag
from mosaic.text import count, number, span, speed, visible
from mosaic_worker.common import interpreters

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot

__all__ = ["Attendance", "exit_code_of"]

_NOT_STARTED = 127
_DETACHED = 130
_NOTHING = (
    "nothing was recorded: it made no Gymnasium or PettingZoo environment and logged no metric we know, or "
    "it does not run Python, or its Python was kept from our folder on PYTHONPATH: by -I, -E or -S, by a "
    "script that replaces PYTHONPATH (keep it: PYTHONPATH=src:$PYTHONPATH), by a cleared environment "
    "(env -i, sudo), or in a container or on another machine. Other programs can print JSON lines, or import "
    "mosaic_worker."
)


class Attendance(Staying):
    """One stay with one run.

    Args:
        root: The data root.
        run_id: The run.
        say: Called with everything that is not the run's own output.
        gather_secs: For how long output is gathered before it is passed on.
        look_secs: How often the run and the daemon are looked at, besides when the kernel says that the run
            wrote something, or how it ended.
        show_secs: How often the status line is made anew.
        ingest_secs: How long to wait at the end until everything is in the store.
        restarts: How often a dead daemon is started again before we only watch.
    """

    def __init__(
        self,
        root: DataRoot,
        run_id: str,
        *,
        say: Callable[[str], None],
        gather_secs: float = 0.02,
        look_secs: float = 1.0,
        show_secs: float = 1.0,
        ingest_secs: float = 300.0,
        restarts: int = 5,
    ) -> None:
        super().__init__(say=say)
        self._root = root
        self._run_id = run_id
        self._folder = root.run(run_id)
        self._gather_secs, self._look_secs, self._show_secs = gather_secs, look_secs, show_secs
        self._ingest_secs = ingest_secs
        self._restarts = restarts
        self._asked_to_stop = False

    def stay(self) -> int:
        """Stay until the run has ended, or until a second Ctrl-C. The exit code to leave with."""
        with self._heeding():
            try:
                with Tail(self._folder.stdout) as out, Tail(self._folder.stderr) as err:
                    row = self._watch(out, err)
                if row is None:
                    self._say(
                        f"left run {self._run_id} to itself; it is being stopped. "
                        f"See: mosaic show {self._run_id}"
                    )
                    return _DETACHED
                self._finish(row)
                return exit_code_of(row)
            except BrokenPipeError:
                self._say(
                    f"nobody reads the output any more; run {self._run_id} goes on. "
                    f"Stop it with: mosaic stop {self._run_id}"
                )
                return abandon_stdout()

    def _watch(self, out: Tail, err: Tail) -> RunRow | None:
        show_at, look = 0.0, True
        with Arrivals(self._folder, gather_secs=self._gather_secs) as arrivals:
            while True:
                # SYNC: asked before the last read, so that read is complete.
                ended = look and reading.has_ended(self._root, self._run_id)
                moved = self._echo(out, sys.stdout) | self._echo(err, sys.stderr)
                if ended and not moved:
                    return run_index.row_of(self._root, self._run_id)
                if self._interrupts > 1:
                    return None
                if self._interrupts and not self._asked_to_stop:
                    self._stop()
                if moved:
                    look = ended
                    continue
                self._mind_the_daemon()
                if self._line is not None and time.monotonic() >= show_at:
                    show_at = time.monotonic() + self._show_secs
                    self._show(run_index.row_of(self._root, self._run_id))
                look = arrivals.wait(self._look_secs, woken_fd=self._woken_fd)

    def _echo(self, tail: Tail, stream: IO[str]) -> bool:
        data = tail.read()
        if data:
            if self._line:
                self._line.clear()
            stream.buffer.write(data)  # type: ignore[attr-defined]  # the worker's bytes, as they are
            stream.flush()
            if self._line:
                self._line.written(data)
        return bool(data)

    def _stop(self) -> None:
        self._asked_to_stop = True
        self._say("stopping the run; Ctrl-C again leaves it to itself")
        try:
            with reading.daemon(self._root) as client:
                client.stop(self._run_id, reason="Ctrl-C")
        except MosaicError as error:
            self._say(f"could not stop it: {error}")

    def _mind_the_daemon(self) -> None:
        if held(self._root.daemon_lock) or self._restarts == 0:
            return
        self._restarts -= 1
        self._say("the daemon is gone; the run goes on. Starting the daemon again")
        try:
            reading.ensure_daemon(self._root)
        except DaemonError as error:
            self._say(str(error))

    def _show(self, row: RunRow) -> None:
        if self._line is None or row.state in ENDED:
            return
        parts = [f"{row.name or row.run_id}: {row.state.value}"]
        if row.state not in (RunState.RUNNING, RunState.STARTING):
            parts.append(row.reason)
        parts.append(f"{count(row.episodes)} episodes")
        if row.last_return is not None:
            parts.append(f"return {number(row.last_return)}")
        if row.steps_per_sec is not None:
            parts.append(f"{speed(row.steps_per_sec)} steps/s")
        with suppress(StoreError):  # a damaged store: ingest makes it anew
            behind = self._behind()
            parts += [f"{count(behind)} events behind"] if behind else []
        self._line.draw(" · ".join(parts))
        freshness.poke(self._folder)  # for the next line: nobody else may be looking

    def _behind(self) -> int:
        """How many events ingest did not get to though it was asked. What nobody asks for may wait."""
        stored = freshness.stored_nanos(self._folder)
        asked = freshness.wants(self._folder)[0]
        return lag(self._folder).events if stored is None or stored < asked else 0

    def _finish(self, row: RunRow) -> None:
        try:
            with Passing() as passing:
                complete = reading.wait_ingested(
                    self._root, self._run_id, timeout_secs=self._ingest_secs, progress=passing
                )
        except MosaicError as error:  # the run itself went as it went: its exit code still counts
            self._say(str(error))
            complete = False
        summary = glance(self._folder) or StoreSummary()
        text = f"run {row.run_id} {row.state.value} ({row.reason}): {count(summary.episodes)} episodes, "
        text += f"{count(summary.steps)} steps, {count(summary.metrics)} metrics"
        if summary.last_return is not None:
            text += f", last return {number(summary.last_return)}"
        ran = None if row.ended is None else elapsed_secs(row, now=row.ended)
        if ran is not None:
            text += f", {span(ran)}"
        self._say(text)
        if row.state is RunState.FAILED:
            self._say(f"its stderr: {self._folder.stderr}")
        if not complete:
            self._say("not everything is in the store yet; the daemon is still storing it. Nothing is lost.")
        warnings = [*interpreters.warnings(row.command), *summary.warnings]
        for warning in warnings:
            self._say(f"warning: {visible(warning)}")
        if complete and not summary.store_seq and not warnings:
            self._say(_NOTHING)


def exit_code_of(row: RunRow) -> int:
    """What a shell would have seen: the worker's code, 128 + its signal, 127 when it could not be started."""
    if row.exit is None:
        return 1
    if row.exit.code is not None:
        return row.exit.code
    if row.exit.signal is not None:
        return 128 + row.exit.signal
    return _NOT_STARTED if row.exit.error else 1
