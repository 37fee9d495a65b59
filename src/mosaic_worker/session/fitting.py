"""Actions in the form their space wants, and whether they are actions at all. Pure."""

from __future__ import annotations

from typing import Any, Dict

from mosaic_worker.session.operator import OperatorError

__all__ = ["as_json", "checked", "described", "fitted", "nothing"]

_MOST_NUMBERS = 64  # of a bound that is written out


def fitted(action: Any, space: Any) -> Any:
    """An action from JSON as the space wants it: whole numbers, arrays of its type, tuples. Else as it is."""
    kind = type(space).__name__
    if kind == "Discrete" and isinstance(action, float) and action.is_integer():
        return int(action)
    if kind in ("Box", "MultiDiscrete", "MultiBinary") and isinstance(action, (list, tuple, int, float)):
        return _array(action, space)
    parts: Any = getattr(space, "spaces", None)
    if kind == "Dict" and isinstance(action, dict):
        return {key: fitted(value, parts[key]) if key in parts else value for key, value in action.items()}
    if kind == "Tuple" and isinstance(action, (list, tuple)) and len(action) == len(parts):
        return tuple(fitted(value, part) for value, part in zip(action, parts))  # noqa: B905  (3.8 has no strict)
    return action


def _array(action: Any, space: Any) -> Any:
    import numpy as np

    try:
        return np.asarray(action, dtype=space.dtype).reshape(space.shape)
    except (TypeError, ValueError):
        return action  # whoever checks it says what is wrong


def checked(action: Any, space: Any, mask: Any = None) -> Any:
    """The action, when the space holds it and the mask allows it.

    Raises:
        OperatorError: it does not; says what was answered and what would be right.
    """
    # A list is no action where `fitted` could not make an array of it, whatever a space makes of lists.
    if space is not None and (isinstance(action, list) or not space.contains(action)):
        raise OperatorError(f"it answered {_short(action)}, which is not an action of {_short(space)}")
    if mask is not None and type(space).__name__ == "Discrete":
        index = int(action) - int(getattr(space, "start", 0))
        if not mask[index]:
            legal = [int(one) + int(getattr(space, "start", 0)) for one in range(len(mask)) if mask[one]]
            raise OperatorError(f"it answered {action}, which is not legal now; legal are {_short(legal)}")
    return action


def described(space: Any) -> Any:
    """A space as JSON, for programs that know no gymnasium: `{"kind": "Discrete", "n": 4, "start": 0}`."""
    import numpy as np

    if space is None:
        return None
    kind = type(space).__name__
    found: Dict[str, Any] = {"kind": kind, "text": _short(space)}
    if kind == "Discrete":
        found.update(n=int(space.n), start=int(getattr(space, "start", 0)))
    elif kind == "MultiDiscrete":
        found.update(nvec=np.asarray(space.nvec).tolist())
    elif kind == "MultiBinary":
        found.update(shape=list(space.shape))
    elif kind == "Box":
        found.update(shape=list(space.shape), dtype=str(space.dtype))
        if int(np.prod(space.shape)) <= _MOST_NUMBERS:
            found.update(low=_finite(space.low), high=_finite(space.high))
    elif kind in ("Dict", "Tuple"):
        parts = space.spaces
        found["spaces"] = (
            {key: described(part) for key, part in parts.items()}
            if kind == "Dict"
            else [described(part) for part in parts]
        )
    return found


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


def as_json(value: Any) -> Any:
    """Arrays as nested lists, numpy's numbers as plain ones: what `json.dumps` asks about (`default`)."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__qualname__} has no form in JSON")


def _finite(bound: Any) -> Any:
    """A bound as nested lists; None where there is none, as JSON knows no infinity."""
    if isinstance(bound, (int, float)):
        return bound if abs(bound) != float("inf") else None
    return (
        [_finite(one) for one in bound.tolist()] if hasattr(bound, "tolist") else [_finite(b) for b in bound]
    )


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 120 else text[:117] + "..."
