"""What a step came to for one actor; old gym's four values are read as today's five. Pure."""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple

__all__ = ["BEGAN", "GONE", "RESTARTED", "SOLE", "Outcome", "first_values", "five_values"]

SOLE = ""
"""The actor of an environment that has only one."""
BEGAN = "began"
"""The step only began the actor's next episode: no action of its own was executed."""
RESTARTED = "restarted"
"""The episode ended and the next one began in the same step: `observation` is the next one's first."""
GONE = "gone"
"""The environment took the actor out, with or without a flag: it decides no more in this episode."""


class Outcome(NamedTuple):
    """What one actor got since it last acted, and what it sees now. After a reset the reward is 0."""

    observation: Any
    reward: Any = 0.0
    terminated: Any = False
    truncated: Any = False
    info: Any = None
    how: str = ""
    """`BEGAN`, `RESTARTED`, `GONE`, or nothing for a plain step."""
    last: Any = None
    """With `RESTARTED`: the true last observation of the episode that ended."""


def five_values(result: Any) -> Tuple[Any, Any, Any, Any, Any]:
    """A step's values as Gymnasium gives them.

    Old gym gives four, with one flag for both ends; the time limit's mark tells a truncation from an end.
    """
    if len(result) == 5:
        return tuple(result)
    observation, reward, done, info = result
    truncated = bool(done) and bool(info.get("TimeLimit.truncated", False))
    return observation, reward, bool(done) and not truncated, truncated, info


def first_values(result: Any) -> Tuple[Any, Any]:
    """Observation and info of a reset; old gym gives the observation alone."""
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict):
        return result
    return result, {}
