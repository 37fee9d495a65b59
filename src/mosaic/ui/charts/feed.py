"""Keeps the charts' curves up to date while somebody looks: which runs are read, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from mosaic.ui.charts.loading import ChartLoader
from mosaic.ui.charts.model import Asked
from mosaic.ui.shell.following import Following

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.ui.charts.model import Charts, Loaded
    from mosaic.ui.shell.context import Context

__all__ = ["ChartsFeed"]


class ChartsFeed:
    """Reads for Charts: of the chosen runs, while somebody looks.

    Args:
        context: where the runs are, and who does slow things.
        charts: what is wanted and where the curves go.
        loader: what reads the stores; by default those of the context's data root.
        gap_ms: the shortest time between two reads.
        rest_ms: how long a run that could not be read is left alone; the others are read meanwhile.
    """

    def __init__(
        self,
        context: Context,
        charts: Charts,
        *,
        loader: ChartLoader | None = None,
        gap_ms: int = 200,
        rest_ms: int = 1000,
    ) -> None:
        self._context, self._charts = context, charts
        self._loader = loader or ChartLoader(context.root)
        self._shown: tuple[object, ...] = ()
        self._resting: frozenset[str] = frozenset()
        self._rest = QTimer(singleShot=True, interval=rest_ms)
        self._rest.timeout.connect(self._rested)
        self._following: Following[list[Loaded]] = Following(
            context,
            wanted=lambda: [run_id for run_id in charts.runs if run_id not in self._resting],
            work=self._work,
            take=self._take,
            failed=self._failed,
            gap_ms=gap_ms,
        )
        charts.changed.connect(self.ask)
        context.selection.changed.connect(self._choose)
        self._choose()

    @property
    def reading(self) -> bool:
        """Whether a read is under way."""
        return self._following.reading

    def start(self, looker: object = None) -> None:
        """Somebody looks."""
        self._following.start(looker)

    def stop(self, looker: object = None) -> None:
        """This one looks no more; when nobody does, nothing is read."""
        self._following.stop(looker)

    def ask(self) -> None:
        """Read at once what is due; when another metric, axis or smoothing is wanted, all runs are."""
        self._following.ask(anew=_settings(self._charts.asked) != self._shown)

    # -- inside ---------------------------------------------------------------------------------------------

    def _choose(self) -> None:
        self._charts.show_runs(self._context.selection.chosen)

    def _work(self, due: tuple[str, ...]) -> Callable[[], list[Loaded]]:
        asked = self._charts.asked
        wanted = Asked(runs=due, keys=asked.keys, axis=asked.axis, smoothing=asked.smoothing)
        anew = frozenset(run_id for run_id in due if self._charts.seen(run_id) < 0)
        self._shown = _settings(asked)
        return lambda: self._loader.load(wanted, anew=anew)

    def _take(self, found: list[Loaded]) -> bool:
        self._charts.take(found)
        broken = {one.run_id for one in found if one.problem}
        if broken:
            self._resting |= broken
            self._rest.start()
        return any(one.more for one in found)

    def _rested(self) -> None:
        self._resting = frozenset()
        self._following.turn()

    def _failed(self, text: str) -> None:
        self._context.toasts.say(f"The curves could not be read: {text}", level="bad")


def _settings(asked: Asked) -> tuple[object, ...]:
    return asked.keys, asked.axis, asked.smoothing
