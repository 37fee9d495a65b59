"""In which shape an environment returns rewards and flags: a number, a vector, or a value per agent. Pure.

Arrays and tensors are known by their `tolist`: nothing is imported for them.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

__all__ = ["ALL", "flag", "numbers", "per_agent", "several"]

ALL = "__all__"
"""The key under which RLlib's environments say that the episode is over for everybody."""


def numbers(value: Any) -> Optional[List[float]]:
    """The numbers in a scalar, an array, a tensor or nested sequences, in order; None: something else."""
    tolist = getattr(value, "tolist", None)
    if tolist is not None:
        value = tolist()
    if isinstance(value, (list, tuple)):
        found: List[float] = []
        for item in value:
            inner = numbers(item)
            if inner is None:
                return None
            found += inner
        return found
    if value is None or isinstance(value, (str, bytes, bytearray, complex)):
        return None
    try:
        return [float(value)]
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None


def flag(value: Any) -> bool:
    """Whether a flag says that it is over. Several flags say so together; `__all__` speaks for all."""
    if value is True or value is False:
        return value
    if isinstance(value, dict):
        if ALL in value:
            return flag(value[ALL])
        return bool(value) and all(flag(one) for one in value.values())
    found = numbers(value)
    if found is None:
        return bool(value)
    return bool(found) and all(found)


def several(reward: Any, terminated: Any, truncated: Any) -> bool:
    """Whether a step tells of several agents: rewards by name, or as many rewards as flags."""
    if isinstance(reward, dict):
        return True
    flags = max(len(numbers(terminated) or ()), len(numbers(truncated) or ()))
    return flags > 1 and len(numbers(reward) or ()) == flags


def per_agent(value: Any, agents: Sequence[Any]) -> Dict[Any, Any]:
    """One value for each agent: by name as it came, in the order of the agents, or the same for all."""
    if isinstance(value, dict):
        return value
    if hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, (str, bytes)):
        try:
            if len(value) == len(agents):
                return {agent: value[index] for index, agent in enumerate(agents)}
        except TypeError:  # an array without dimensions has no length
            pass
    return dict.fromkeys(agents, value)
