"""Keeps the charts' curves up to date while somebody looks: which runs are read, and what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.charts.loading import ChartLoader
from mosaic.ui.charts.model import Asked
from mosaic.ui.shell.following import Following

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.ui.charts.model import Charts, Loaded
    from mosaic.ui.shell.context import Context

__all__ = ["ChartsFeed"]


class ChartsFeed:
    """Reads for Charts.

    Args:
        context: where the runs are, and who does slow things.
        charts: what is wanted and where the curves go.
        gap_ms: the shortest time between two reads.
    """

    def __init__(self, context: Context, charts: Charts, *, gap_ms: int = 200) -> None:
        self._context, self._charts = context, charts
        self._loader = ChartLoader(context.root)
        self._shown: tuple[object, ...] = ()
        self._following: Following[list[Loaded]] = Following(
            context,
            wanted=lambda: charts.runs,
            work=self._work,
            take=self._take,
            failed=self._failed,
            gap_ms=gap_ms,
        )
        charts.changed.connect(self.ask)

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

    def _work(self, due: tuple[str, ...]) -> Callable[[], list[Loaded]]:
        asked = self._charts.asked
        wanted = Asked(runs=due, keys=asked.keys, axis=asked.axis, smoothing=asked.smoothing)
        anew = frozenset(run_id for run_id in due if self._charts.seen(run_id) < 0)
        self._shown = _settings(asked)
        return lambda: self._loader.load(wanted, anew=anew)

    def _take(self, found: list[Loaded]) -> bool:
        self._charts.take(found)
        broken = [one.run_id for one in found if one.problem]
        if broken:
            self._following.again(broken)
        return any(one.more for one in found)

    def _failed(self, text: str) -> None:
        self._context.toasts.say(f"The curves could not be read: {text}", level="bad")


def _settings(asked: Asked) -> tuple[object, ...]:
    return asked.keys, asked.axis, asked.smoothing
