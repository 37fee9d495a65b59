"""Keeps the charts' curves up to date while somebody looks: reads off-thread, paced, one read at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from mosaic.protocol.runs import ENDED
from mosaic.ui.charts.loading import ChartLoader
from mosaic.ui.charts.model import Asked

if TYPE_CHECKING:
    from mosaic.ui.charts.model import Charts, Loaded
    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.ops import Operation

__all__ = ["ChartsFeed"]


class ChartsFeed(QObject):
    """Reads for Charts.

    Args:
        context: where the runs are, and who does slow things.
        charts: what is wanted and where the curves go.
        every_ms: the shortest time between two looks at a live run.
        share: at most this part of the time is spent reading, so that long curves are read less often.
    """

    def __init__(self, context: Context, charts: Charts, *, every_ms: int = 200, share: float = 0.25) -> None:
        super().__init__()
        self._context, self._charts = context, charts
        self._loader = ChartLoader(context.root)
        self._share = share
        self._pause_secs = every_ms / 1000
        self._not_before = 0.0
        self._reading: Operation | None = None
        self._settled: Asked | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(every_ms)
        self._timer.timeout.connect(self.turn)

    @property
    def reading(self) -> bool:
        """Whether a read is under way."""
        return self._reading is not None

    def start(self) -> None:
        """Somebody looks."""
        self._timer.start()
        self.turn()

    def stop(self) -> None:
        """Nobody looks: read nothing."""
        self._timer.stop()

    def ask(self) -> None:
        """Something else is wanted: read at once."""
        self._not_before = 0.0
        if self._timer.isActive():
            self.turn()

    def turn(self) -> None:
        """Read what is due, unless a read is under way."""
        if self._reading is not None or time.monotonic() < self._not_before:
            return
        asked = self._charts.asked
        fresh = self._settled is None or (asked.keys, asked.axis, asked.smoothing) != (
            self._settled.keys,
            self._settled.axis,
            self._settled.smoothing,
        )
        runs = tuple(run_id for run_id in asked.runs if fresh or self._due(run_id))
        if not runs:
            return
        wanted = Asked(runs=runs, keys=asked.keys, axis=asked.axis, smoothing=asked.smoothing)

        anew = frozenset(run_id for run_id in runs if self._charts.seen(run_id) < 0)

        def work() -> tuple[list[Loaded], float]:
            begun = time.monotonic()
            return self._loader.load(wanted, anew=anew), time.monotonic() - begun

        self._reading = self._context.ops.run(
            work, done=lambda found: self._take(wanted, *found), failed=self._failed
        )

    def _due(self, run_id: str) -> bool:
        if self._charts.unfinished(run_id):
            return True
        row = self._context.runs.get(run_id)
        return row is None or row.state not in ENDED or row.store_seq != self._charts.seen(run_id)

    def _take(self, asked: Asked, found: list[Loaded], took_secs: float) -> None:
        self._reading = None
        self._settled = asked
        more = any(one.more for one in found)
        rest = 0.0 if more else max(self._pause_secs, took_secs / self._share - took_secs)
        self._not_before = time.monotonic() + rest
        self._charts.take(found)
        current = self._charts.asked
        late = self._charts.waiting  # chosen while this was read: it does not wait for the rest
        if (
            more
            or late
            or (current.keys, current.axis, current.smoothing)
            != (
                asked.keys,
                asked.axis,
                asked.smoothing,
            )
        ):
            self.ask()

    def _failed(self, text: str) -> None:
        self._reading = None
        self._not_before = time.monotonic() + 1.0
        self._context.toasts.say(f"The curves could not be read: {text}", level="bad")
