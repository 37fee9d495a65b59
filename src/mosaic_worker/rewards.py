"""A reward as it is recorded: a number, or a vector that counts as its sum. Anything else is NaN, told."""

from __future__ import annotations

from typing import Any, List, Optional

from mosaic_worker import report
from mosaic_worker.encode import float_bytes
from mosaic_worker.shapes import numbers

__all__ = ["Reward", "paid"]

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
