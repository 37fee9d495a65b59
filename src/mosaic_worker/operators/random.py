"""Any legal action, drawn evenly as the action space draws."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from mosaic_worker.session.operator import Choice, Operator, Seat

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["Random"]


class Random(Operator):
    """Draws from a copy of the action space, so that the environment's own generator stays where it is.

    Keeps to the mask where there is one and the space is Discrete; other spaces have no common form of mask.
    """

    def begin(self, seat: Seat) -> None:
        """Copy the space, and seed the copy."""
        self._space = copy.deepcopy(seat.action_space)
        self._space.seed(seat.seed)
        self._masked = type(self._space).__name__ == "Discrete"

    def act(self, view: View) -> Choice:
        """Draw."""
        mask = view.mask if self._masked else None
        return Choice(self._space.sample() if mask is None else self._space.sample(_eight_bits(mask)))


def _eight_bits(mask: Any) -> Any:
    """The mask in the one type that `Discrete.sample` takes."""
    import numpy as np

    return np.asarray(mask, dtype=np.int8)
