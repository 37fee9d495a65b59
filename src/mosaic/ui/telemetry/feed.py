"""Keeps the telemetry of the run in focus up to date while somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.shell.following import Following
from mosaic.ui.telemetry.model import News
from mosaic.ui.telemetry.reading import TelemetryReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.ui.shell.context import Context
    from mosaic.ui.telemetry.model import Telemetry

__all__ = ["TelemetryFeed"]


class TelemetryFeed:
    """Reads for Telemetry: of the run in focus, from when somebody looks.

    Args:
        context: where the runs are, and who does slow things.
        telemetry: where the steps and episodes go.
        gap_ms: the shortest time between two reads.
    """

    def __init__(self, context: Context, telemetry: Telemetry, *, gap_ms: int = 100) -> None:
        self._context, self._telemetry = context, telemetry
        self.run_id: str | None = None
        """The run that is read."""
        self._reader: TelemetryReader | None = None
        self._following: Following[News] = Following(
            context,
            wanted=lambda: () if self.run_id is None else (self.run_id,),
            work=self._work,
            take=self._take,
            failed=telemetry.fail,
            gap_ms=gap_ms,
        )
        self._unhear = context.selection.changed.connect(self._focus_moved)

    @property
    def looking(self) -> bool:
        """Whether somebody looks."""
        return self._following.looking

    def start(self, looker: object = None) -> None:
        """Somebody looks. What was stored while nobody did was not skipped: the newest is read anew."""
        if not self._following.looking:
            self._begin()
        self._following.start(looker)

    def stop(self, looker: object = None) -> None:
        """This one looks no more; when nobody does, nothing is read."""
        self._following.stop(looker)

    def close(self) -> None:
        """Read nothing more. Twice is fine."""
        self._unhear()
        self._following.close()

    # -- inside ---------------------------------------------------------------------------------------------

    def _focus_moved(self) -> None:
        if self._following.looking and self._context.selection.focus != self.run_id:
            self._begin()
            self._following.ask()

    def _begin(self) -> None:
        """Follow the run in focus from near its head."""
        self._following.let_go()
        focus = self._context.selection.focus
        if focus != self.run_id:
            self.run_id = focus
            self._telemetry.clear()
        self._reader = None if focus is None else TelemetryReader(self._context.root.run(focus))

    def _work(self, _due: tuple[str, ...]) -> Callable[[], News]:
        reader = self._reader
        return lambda: News() if reader is None else reader.read()

    def _take(self, news: News) -> bool:
        self._telemetry.take(news)
        return False
