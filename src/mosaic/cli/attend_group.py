"""Staying with several runs until all have ended: a line as each ends, Ctrl-C for all of them.

What they print is not shown, because it would be mixed; each run has its own `mosaic logs`.
"""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING

from mosaic.app import reading, run_index
from mosaic.cli.progress import Passing
from mosaic.cli.staying import Staying
from mosaic.errors import MosaicError, StoreError
from mosaic.protocol.runs import RunRow, RunState, elapsed_secs
from mosaic.runs import freshness
from mosaic.text import count, number, span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mosaic.paths import DataRoot

__all__ = ["GroupAttendance"]

_DETACHED = 130


class GroupAttendance(Staying):
    """One stay with the runs of a group.

    Args:
        root: The data root.
        run_ids: The runs, in the order they were submitted.
        say: Called as each run ends, and with everything else there is to say.
        look_secs: How often their states are looked at.
        show_secs: How often the status line is made anew.
        ingest_secs: How long to wait at the end, for each, until everything is in its store.
    """

    def __init__(
        self,
        root: DataRoot,
        run_ids: Sequence[str],
        *,
        say: Callable[[str], None],
        look_secs: float = 0.3,
        show_secs: float = 1.0,
        ingest_secs: float = 300.0,
    ) -> None:
        super().__init__(say=say)
        self._root = root
        self._ids = list(run_ids)
        self._look_secs, self._show_secs = look_secs, show_secs
        self._ingest_secs = ingest_secs
        self._ended: dict[str, RunRow] = {}

    def stay(self) -> int:
        """Stay until all have ended, or until a second Ctrl-C. 0 when every one finished."""
        asked = False
        with self._heeding():
            self._say(f"staying with {len(self._ids)} runs; Ctrl-C stops them. Their output: mosaic logs RUN")
            show_at = 0.0
            while len(self._ended) < len(self._ids):
                going = [one for one in self._ids if one not in self._ended]
                for run_id in [one for one in going if self._is_over(one)]:
                    self._ended[run_id] = run_index.row_of(self._root, run_id)
                    self._finish(self._ended[run_id])
                    going.remove(run_id)
                if self._line is not None and time.monotonic() >= show_at:
                    show_at = time.monotonic() + self._show_secs
                    self._show([run_index.row_of(self._root, one) for one in going])
                if self._interrupts > 1:
                    self._say("left the runs to themselves; they are being stopped. See: mosaic ls")
                    return _DETACHED
                if self._interrupts and not asked:
                    asked = True
                    self._stop(going)
                reading.ensure_daemon(self._root)
                if going and self._woken_fd in select.select([self._woken_fd], [], [], self._look_secs)[0]:
                    os.read(self._woken_fd, 512)
        good = sum(row.state is RunState.FINISHED for row in self._ended.values())
        self._say(f"{good} of {len(self._ids)} runs finished")
        return 0 if good == len(self._ids) else 1

    def _stop(self, run_ids: list[str]) -> None:
        self._say("stopping the runs; Ctrl-C again leaves them to themselves")
        try:
            with reading.daemon(self._root) as client:
                for run_id in run_ids:
                    client.stop(run_id, reason="Ctrl-C")
        except MosaicError as error:
            self._say(f"could not stop them: {error}")

    def _is_over(self, run_id: str) -> bool:
        try:
            return reading.has_ended(self._root, run_id)
        except StoreError:  # nobody will ever know; its row says why
            return True

    def _finish(self, row: RunRow) -> None:
        try:
            with Passing() as passing:
                reading.wait_ingested(
                    self._root, row.run_id, timeout_secs=self._ingest_secs, progress=passing
                )
        except MosaicError as error:
            self._say(str(error))
        row = run_index.row_of(self._root, row.run_id)
        text = (
            f"run {row.name or row.run_id} {row.state.value} ({row.reason}): {count(row.episodes)} episodes"
        )
        text += f", {count(row.steps)} steps"
        if row.last_return is not None:
            text += f", last return {number(row.last_return)}"
        ran = None if row.ended is None else elapsed_secs(row, now=row.ended)
        if ran is not None:
            text += f", {span(ran)}"
        self._say(text)

    def _show(self, going: list[RunRow]) -> None:
        if self._line is None:
            return
        parts = [f"{len(self._ended)} of {len(self._ids)} ended"]
        for row in going:
            freshness.poke(self._root.run(row.run_id))  # for the next line: nobody else may be looking
            if row.state in (RunState.RUNNING, RunState.STARTING):
                last = "" if row.last_return is None else f", return {number(row.last_return)}"
                parts.append(f"{row.name or row.run_id[-6:]}: {count(row.steps)} steps{last}")
        waiting = sum(row.state is RunState.QUEUED for row in going)
        self._line.draw(" · ".join([*parts, *([f"{waiting} wait"] if waiting else [])]))
