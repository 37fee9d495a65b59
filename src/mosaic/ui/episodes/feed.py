"""Keeps the list of episodes up to date while somebody looks: read and sorted off the window's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.episodes.loading import EpisodeLoader
from mosaic.ui.episodes.model import Episodes, view
from mosaic.ui.shell.following import Following

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from mosaic.ui.episodes.model import EpisodeList
    from mosaic.ui.shell.context import Context

__all__ = ["EpisodesFeed"]

_Found = tuple[Episodes, "npt.NDArray[np.int64]"]


class EpisodesFeed:
    """Reads for an EpisodeList: of the run in focus.

    Args:
        context: where the runs are, and who does slow things.
        listed: which order and filter are wanted, and where the episodes go.
        gap_ms: the shortest time between two reads.
    """

    def __init__(self, context: Context, listed: EpisodeList, *, gap_ms: int = 300) -> None:
        self._context, self._listed = context, listed
        self._loader: EpisodeLoader | None = None
        self._following: Following[_Found | None] = Following(
            context,
            wanted=lambda: () if listed.run_id is None else (listed.run_id,),
            work=self._work,
            take=self._take,
            failed=listed.fail,
            gap_ms=gap_ms,
        )
        context.selection.changed.connect(self._turn_to_focus)
        listed.asked.connect(lambda: self._following.ask(anew=True))
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
        if focus != self._listed.run_id:
            self._loader = None if focus is None else EpisodeLoader(self._context.root.run(focus))
            self._following.let_go()
            self._listed.turn_to(focus)
            self._following.ask()

    def _work(self, _due: tuple[str, ...]) -> Callable[[], _Found | None]:
        loader, listed = self._loader, self._listed
        known, by, descending, wanted = listed.episodes, listed.by, listed.descending, listed.wanted

        def work() -> _Found | None:
            found = None if loader is None else loader.load()
            found = known if found is None else found  # the same ones, perhaps in another order
            if found is None:
                return None
            return found, view(found, by=by, descending=descending, wanted=wanted)

        return work

    def _take(self, found: _Found | None) -> bool:
        self._listed.take(found)
        return found is not None and found[0].more
