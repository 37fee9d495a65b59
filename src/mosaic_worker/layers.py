"""What a PettingZoo environment is wrapped in, down to the environment itself.

Only looks at instance dictionaries; never calls an environment.
"""

from __future__ import annotations

from typing import Any, List

__all__ = ["layers"]

_INNER = ("env", "aec_env", "par_env")
_MAX_LAYERS = 32  # a wrapper that wraps itself must not hang us


def layers(env: Any) -> List[Any]:
    """The environment and those below it, outermost first."""
    found = [env]
    while len(found) < _MAX_LAYERS:
        below = next((vars(found[-1])[name] for name in _INNER if name in vars(found[-1])), None)
        if below is None or not hasattr(below, "__dict__"):
            break
        found.append(below)
    return found
