"""A list of actions, one after the other; then another operator, or nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, List, Optional

from mosaic_worker.session.operator import Choice, Operator, Seat

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["Actions"]


class Actions(Operator):
    """Does what a list says.

    Args:
        actions: what to do, in order, over all episodes.
        then: who decides after the last of them. Without one the loop must stop by then: to be asked once
            more is an error.
    """

    def __init__(self, actions: Iterable[Any], then: Optional[Operator] = None) -> None:
        self._actions: List[Any] = list(actions)
        self._then = then
        self._done = 0

    def __len__(self) -> int:
        return len(self._actions)

    def begin(self, seat: Seat) -> None:
        """Begin the one who decides afterwards, too."""
        self._done = 0
        if self._then is not None:
            self._then.begin(seat)

    def act(self, view: View) -> Choice:
        """The next of the list, or what the other operator decides."""
        if self._done < len(self._actions):
            self._done += 1
            return Choice(self._actions[self._done - 1])
        if self._then is None:
            raise IndexError(f"the list had {self._done} actions, and nobody decides after them")
        return self._then.act(view)
