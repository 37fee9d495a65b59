"""A function that says what to do: a trained network, a table, a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from mosaic_worker.session.operator import Choice, Operator

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["Policy"]


class Policy(Operator):
    """Decides by a function.

    Args:
        action: from the view (`view.observation`, `view.mask`, `view.step`, …) to an action.
    """

    def __init__(self, action: Callable[[View], Any]) -> None:
        self._action = action

    def act(self, view: View) -> Choice:
        """Ask the function."""
        return Choice(self._action(view))
