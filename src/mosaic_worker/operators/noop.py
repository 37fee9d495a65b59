"""Does nothing, as far as an action space has something that means nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic_worker.session.fitting import nothing
from mosaic_worker.session.operator import Choice, Operator, Seat

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["Noop"]


class Noop(Operator):
    """The action that stands for nothing; under a mask that forbids it, the first legal one."""

    def begin(self, seat: Seat) -> None:
        """Find the action."""
        self._action = nothing(seat.action_space)

    def act(self, view: View) -> Choice:
        """Do nothing."""
        mask = view.mask
        if mask is not None and not isinstance(mask, tuple):
            legal = [index for index, allowed in enumerate(mask) if allowed]
            if legal and self._action not in legal:
                return Choice(legal[0])
        return Choice(self._action)
