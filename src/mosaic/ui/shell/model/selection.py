"""Which runs the user looks at: the chosen ones, and the one in focus. Qt-free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Selection"]


class Selection:
    """Chosen runs, in the order they were chosen; the focus is one of them, or none.

    Charts overlay all chosen runs; live, replay, details and logs show the one in focus.
    """

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        self._chosen: tuple[str, ...] = ()
        self._focus: str | None = None

    @property
    def chosen(self) -> tuple[str, ...]:
        """The chosen runs' ids."""
        return self._chosen

    @property
    def focus(self) -> str | None:
        """The run in focus."""
        return self._focus

    def choose(self, run_ids: Iterable[str], *, focus: str | None = None) -> None:
        """Choose exactly these; the focus stays when it still can, else goes to the last one."""
        chosen = tuple(dict.fromkeys(run_ids))
        wanted = focus if focus in chosen else self._focus if self._focus in chosen else None
        wanted = wanted if wanted is not None else (chosen[-1] if chosen else None)
        if (chosen, wanted) != (self._chosen, self._focus):
            self._chosen, self._focus = chosen, wanted
            self.changed.emit()

    def forget(self, run_id: str) -> None:
        """A run is gone."""
        if run_id in self._chosen:
            self.choose(one for one in self._chosen if one != run_id)
