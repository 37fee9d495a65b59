"""Keeps what is known of the run in focus up to date while somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.details.reading import read_facts
from mosaic.ui.shell.following import Following

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.protocol.runs import RunRow
    from mosaic.ui.details.model import Details, Facts
    from mosaic.ui.shell.context import Context

__all__ = ["DetailsFeed"]


class DetailsFeed:
    """Reads for Details: of the run in focus, when its store or its manifest has changed.

    Args:
        context: where the runs are, and who does slow things.
        details: where it goes.
        gap_ms: the shortest time between two reads.
    """

    def __init__(self, context: Context, details: Details, *, gap_ms: int = 1000) -> None:
        self._context, self._details = context, details
        self._in_manifest: tuple[object, ...] = ()  # as it was at the last read
        self._following: Following[Facts] = Following(
            context,
            wanted=lambda: () if details.run_id is None else (details.run_id,),
            work=self._work,
            take=self._take,
            failed=details.fail,
            gap_ms=gap_ms,
        )
        context.selection.changed.connect(self._turn_to_focus)
        context.runs.changed.connect(self._moved)
        self._turn_to_focus()

    def start(self, looker: object = None) -> None:
        """Somebody looks."""
        self._following.start(looker)

    def stop(self, looker: object = None) -> None:
        """This one looks no more; when nobody does, nothing is read."""
        self._following.stop(looker)

    # -- inside ---------------------------------------------------------------------------------------------

    def _turn_to_focus(self) -> None:
        focus = self._context.selection.focus
        if focus != self._details.run_id:
            self._following.let_go()
            self._details.turn_to(focus)
            self._following.ask()

    def _moved(self, moved: frozenset[str]) -> None:
        run_id = self._details.run_id
        if run_id in moved and _in_manifest(self._context.runs.get(run_id)) != self._in_manifest:
            self._following.ask(anew=True)  # whether or not anything was stored

    def _work(self, due: tuple[str, ...]) -> Callable[[], Facts]:
        (run_id,) = due
        self._in_manifest = _in_manifest(self._context.runs.get(run_id))
        return lambda: read_facts(self._context.root, run_id)

    def _take(self, facts: Facts) -> bool:
        self._details.take(facts)
        return False


def _in_manifest(row: RunRow | None) -> tuple[object, ...]:
    """What of a row is in the manifest too: when it changes, so has the manifest."""
    return () if row is None else (row.state, row.reason, row.name, row.tags)
