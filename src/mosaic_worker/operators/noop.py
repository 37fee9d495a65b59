"""Does nothing, as far as an action space has something that means nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mosaic_worker.session.operator import Choice, Operator, Seat

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["Noop", "nothing"]


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


def nothing(space: Any) -> Any:
    """What comes nearest to no action: the first of a Discrete space, zeros elsewhere, within the bounds.

    The first action is "do nothing" in ALE's games and in most that have such an action; in others it is one
    like any other. Nobody can tell from a space.

    Raises:
        TypeError: a space of another kind.
    """
    import numpy as np

    kind = type(space).__name__
    if kind == "Discrete":
        return int(getattr(space, "start", 0))
    if kind == "Box":
        return np.clip(np.zeros(space.shape, dtype=space.dtype), space.low, space.high)
    if kind in ("MultiDiscrete", "MultiBinary"):
        start = getattr(space, "start", None)
        return np.zeros(space.shape, dtype=space.dtype) if start is None else np.array(start, space.dtype)
    if kind == "Dict":
        return {key: nothing(part) for key, part in space.spaces.items()}
    if kind == "Tuple":
        return tuple(nothing(part) for part in space.spaces)
    raise TypeError(f"no action of {space} stands for nothing; choose another operator, such as random")
