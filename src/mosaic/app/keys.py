"""Keys that are held, as the action they mean. Pure: a key map and keys in, an action out.

Whoever reads a keyboard (the desktop, a terminal) keeps which keys are down, oldest first, and asks here.
Knows no window, no session and no clock.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mosaic.protocol.hands import Binding, KeyMap

__all__ = [
    "Axis", "action_of", "axes_of", "binding_of", "combination", "flat", "name_of", "problems", "shaped",
    "used",
]  # fmt: skip

_MOST_AXES = 64  # as many as a described Box writes its bounds for


class Axis(NamedTuple):
    """One number of a continuous action, and between which bounds it lies; None where it has none."""

    at: int
    low: float | None
    high: float | None

    def within(self, value: float) -> float:
        """The nearest number this axis can have."""
        low = -math.inf if self.low is None else self.low
        return min(max(value, low), math.inf if self.high is None else self.high)


# -- from keys to an action -----------------------------------------------------------------------------


def used(keys: KeyMap) -> frozenset[str]:
    """Every key that means something."""
    return frozenset(key for binding in keys.bindings for key in binding.keys)


def binding_of(keys: KeyMap, held: Sequence[str], *, newest: str | None = None) -> Binding | None:
    """What the held keys mean: the longest combination of them; of equally long ones the newest.

    Args:
        keys: the key map. Axes are left out: they add up (`action_of`).
        held: the keys that are down, oldest first.
        newest: a key that must be part of it: turn by turn, the one that was just pressed.
    """
    down = {key: at for at, key in enumerate(held)}
    found: tuple[tuple[int, list[int]], Binding] | None = None
    for binding in keys.bindings:
        if binding.axis is not None or not binding.keys or not down.keys() >= set(binding.keys):
            continue
        if newest is not None and newest not in binding.keys:
            continue
        rank = (len(binding.keys), sorted((down[key] for key in binding.keys), reverse=True))
        if found is None or rank > found[0]:
            found = rank, binding
    return None if found is None else found[1]


def action_of(
    keys: KeyMap,
    held: Sequence[str],
    *,
    space: Mapping[str, Any] | None = None,
    newest: str | None = None,
    lent: Mapping[int, float] | None = None,
) -> Any:
    """The action the held keys mean; None when they mean none.

    Args:
        keys: the key map.
        held: the keys that are down, oldest first.
        space: the action space, as sessions describe it: what axes are shaped and bounded by.
        newest: turn by turn, the key that was just pressed: without a part in it there is no action.
        lent: what a slider or the mouse says of some axes, in place of the rest's; held keys add to it.
    """
    binding = binding_of(keys, held, newest=newest)
    if binding is not None:
        return binding.action
    down = set(held)
    moved = [one for one in keys.bindings if one.axis is not None and one.keys and down >= set(one.keys)]
    if newest is not None and not any(newest in one.keys for one in moved):
        return None
    if not moved and not lent:
        return None
    axes = axes_of(space)
    size = max([len(axes), *(one.axis + 1 for one in moved if one.axis is not None)])
    numbers = (flat(keys.rest) + [0.0] * size)[:size]
    for at, value in (lent or {}).items():
        if 0 <= at < size:
            numbers[at] = value
    for one in moved:
        if one.axis is not None:
            numbers[one.axis] += one.value
    for axis in axes:
        numbers[axis.at] = axis.within(numbers[axis.at])
    return shaped(numbers, (space or {}).get("shape"))


# -- continuous actions ---------------------------------------------------------------------------------


def axes_of(space: Mapping[str, Any] | None) -> list[Axis]:
    """The numbers of a Box, flattened; none for any other space, or one of more than 64 numbers."""
    if not space or space.get("kind") != "Box":
        return []
    count = math.prod(space.get("shape") or [1])
    if count > _MOST_AXES:
        return []
    low, high = _bounds(space.get("low"), count), _bounds(space.get("high"), count)
    return [Axis(at, low[at], high[at]) for at in range(count)]


def _bounds(nested: Any, count: int) -> list[float | None]:
    found = _leaves(nested)
    return found if len(found) == count else [None] * count


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for one in value for leaf in _leaves(one)]
    return [value]


def flat(action: Any) -> list[float]:
    """The numbers of a nested action, in order; none of one that is not made of numbers."""
    leaves = _leaves(action) if action is not None else []
    if not all(isinstance(leaf, (int, float)) and not isinstance(leaf, bool) for leaf in leaves):
        return []
    return [float(leaf) for leaf in leaves]


def shaped(numbers: Sequence[float], shape: Sequence[int] | None) -> Any:
    """Numbers as nested lists of a shape; as one list when there is none or it does not fit."""
    if shape is None or math.prod(shape) != len(numbers):
        return list(numbers)
    if not shape:
        return numbers[0]
    if len(shape) == 1:
        return list(numbers)
    step = len(numbers) // shape[0]
    return [shaped(numbers[at * step : (at + 1) * step], shape[1:]) for at in range(shape[0])]


# -- in words -------------------------------------------------------------------------------------------


def combination(binding: Binding) -> str:
    """Its keys, as people read them: `Space + Left`."""
    return " + ".join(binding.keys)


def name_of(action: Any, keys: KeyMap) -> str:
    """What an action is called: by the key map, else as it is."""
    for binding in keys.bindings:
        if binding.axis is None and binding.action == action and binding.name:
            return binding.name
    return str(action)


def problems(keys: KeyMap, space: Mapping[str, Any] | None) -> list[str]:
    """What is wrong with a key map for a space, a sentence each; none when it can be used.

    Actions of spaces that are made of others are not looked into: the session refuses what does not fit.
    """
    found, seen = [], set()
    for binding in keys.bindings:
        told = combination(binding) or "a line without a key"
        if not binding.keys or not all(key.strip() for key in binding.keys):
            found.append(f"{binding.name or repr(binding.action)}: press at least one key for it")
        elif binding.axis is None and frozenset(binding.keys) in seen:
            found.append(f"{told} is there twice: take one of them away")
        if binding.axis is None:
            seen.add(frozenset(binding.keys))
            why = _no_action(binding.action, space)
        else:
            why = _no_axis(binding.axis, space)
        found += [f"{told}: {why}"] if why else []
    return found


def _no_action(action: Any, space: Mapping[str, Any] | None) -> str:
    """Why this is not an action of the space; empty when it is, or nobody knows."""
    kind = (space or {}).get("kind")
    told = (space or {}).get("text", kind)
    if space is None or kind is None:
        return ""
    if kind == "Discrete":
        low, high = space["start"], space["start"] + space["n"] - 1
        whole = isinstance(action, int) and not isinstance(action, bool)
        return "" if whole and low <= action <= high else f"{action!r} is not an action: {low} to {high} are"
    if kind in ("Box", "MultiDiscrete", "MultiBinary"):
        sizes: Iterable[int] = space.get("shape") or [len(space.get("nvec", [0]))]
        wanted = math.prod(sizes) if kind != "MultiDiscrete" else len(_leaves(space["nvec"]))
        numbers = flat(action)
        if len(numbers) != wanted:
            return f"{action!r} is not an action of {told}: write {wanted} numbers"
        if kind == "MultiDiscrete":
            for number, n in zip(numbers, _leaves(space["nvec"]), strict=True):
                if not 0 <= number < n:
                    return f"{number:g} is not below {n} in {action!r}"
    return ""


def _no_axis(axis: int, space: Mapping[str, Any] | None) -> str:
    if space is None or space.get("kind") is None:
        return ""
    count = math.prod(space.get("shape") or [1]) if space["kind"] == "Box" else 0
    if not count:
        return f"{space.get('text', space['kind'])} has no axes: name an action instead"
    return "" if 0 <= axis < count else f"there is no axis {axis}: 0 to {count - 1} are"
