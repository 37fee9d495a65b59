"""In which shape an environment returns rewards and flags: a number, a vector, or a value per agent.

Arrays and tensors are known by their `tolist`: nothing is imported for them.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from mosaic_worker import report
from mosaic_worker.encode import float_bytes

__all__ = ["ALL", "Reward", "flag", "numbers", "paid", "per_agent", "several"]

ALL = "__all__"
"""The key under which RLlib's environments say that the episode is over for everybody."""
_MAX_COMPONENTS = 1 << 16


class Reward:
    """A reward as it is recorded: `value` is a number, the sum of the `components` of a vector."""

    __slots__ = ("components", "value")

    def __init__(self, value: float, components: Optional[List[float]] = None) -> None:
        self.value = value
        self.components = components

    def as_json(self) -> bytes:
        """What stands after `"reward":` in a step's line; a vector stands behind it, whole."""
        if self.components is None:
            return float_bytes(self.value)
        parts = b",".join(map(float_bytes, self.components))
        return b'%b,"rewards":[%b]' % (float_bytes(self.value), parts)

    def plus(self, other: Reward) -> Reward:
        """Both together; of vectors each component, where they have the same number of them."""
        mine, theirs = self.components, other.components
        value = self.value + other.value
        if mine is None or theirs is None:
            return Reward(value, theirs if mine is None else mine)
        if len(mine) != len(theirs):
            return Reward(value)
        return Reward(value, [a + b for a, b in zip(mine, theirs)])  # noqa: B905  (3.8 has no strict)


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


def paid(value: Any) -> Reward:
    """A reward as it is recorded. What is not made of numbers is NaN, counted and told."""
    found = [value] if type(value) is float else numbers(value)
    if not found or len(found) > _MAX_COMPONENTS:
        many = f" of {len(found)} numbers" if found is not None else ""
        report.missed(
            "reward",
            f"a reward is not a number or a vector but {type(value).__name__}{many}: recorded as NaN",
        )
        return Reward(float("nan"))
    return Reward(found[0]) if len(found) == 1 else Reward(sum(found), found)


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
