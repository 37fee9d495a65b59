"""Keeps the log of the run in focus up to date while somebody looks.

What a run prints is in no store, so no `store_seq` says that there is more: its two files are looked at by
the clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from mosaic.ui.logs.reading import read_on

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mosaic.ui.logs.model import Log, Stream
    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.ops import Operation

__all__ = ["LogFeed"]


class LogFeed:
    """Reads for a Log: what the run in focus writes, one read at a time.

    Args:
        context: which run is in focus, and who does slow things.
        log: where the lines go.
        every_ms: how often the files are looked at.
    """

    def __init__(self, context: Context, log: Log, *, every_ms: int = 250) -> None:
        self._context, self._log = context, log
        self._offsets: dict[Stream, int | None] = {}
        self._reading: Operation | None = None
        self._lookers: set[object] = set()  # at most one entry per view
        self._timer = QTimer(interval=every_ms)
        self._timer.timeout.connect(self._poll)
        context.selection.changed.connect(self._turn_to_focus)
        self._turn_to_focus()

    @property
    def reading(self) -> bool:
        """Whether a read is under way."""
        return self._reading is not None

    @property
    def looking(self) -> bool:
        """Whether somebody looks."""
        return bool(self._lookers)

    def start(self, looker: object = None) -> None:
        """Somebody looks; of several views, each says so for itself."""
        self._lookers.add(looker)
        self._timer.start()
        self._poll()

    def stop(self, looker: object = None) -> None:
        """This one looks no more; when nobody does, nothing is read."""
        self._lookers.discard(looker)
        if not self._lookers:
            self._timer.stop()

    # -- inside ---------------------------------------------------------------------------------------------

    def _turn_to_focus(self) -> None:
        focus = self._context.selection.focus
        if focus == self._log.run_id:
            return
        if self._reading is not None:
            self._reading.abandon()
            self._reading = None
        self._offsets = {}
        self._log.turn_to(focus)
        self._poll()

    def _poll(self) -> None:
        run_id = self._log.run_id
        if run_id is None or self._reading is not None or not self._lookers:
            return
        folder = self._context.root.run(run_id)
        paths: Mapping[Stream, Path] = {"stdout": folder.stdout, "stderr": folder.stderr}
        offsets = dict(self._offsets)
        self._reading = self._context.ops.run(
            lambda: read_on(paths, offsets), done=self._take, failed=lambda _: self._take({})
        )

    def _take(self, found: dict[Stream, tuple[bytes, int]]) -> None:
        self._reading = None
        self._offsets |= {stream: end for stream, (_, end) in found.items()}
        data = {stream: more for stream, (more, _) in found.items() if more}
        if data:
            self._log.take_all(data)
