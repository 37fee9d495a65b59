"""Spaces of gymnasium from their description (`replay.columns.describe`)."""

from __future__ import annotations

import base64
import string
from typing import Any, Dict

__all__ = ["space_of"]


def space_of(told: Dict[str, Any]) -> Any:  # noqa: PLR0911  (one return per kind of space)
    """The space that was described."""
    import numpy as np
    from gymnasium import spaces

    kind = told["type"]
    if kind == "Box":
        shape, dtype = tuple(told["shape"]), np.dtype(told["dtype"])
        low, high = (np.broadcast_to(_array(told[name]), shape).copy() for name in ("low", "high"))
        return spaces.Box(low, high, shape, dtype.type)
    if kind == "Discrete":
        return spaces.Discrete(told["n"], start=told["start"])
    if kind == "MultiDiscrete":
        return spaces.MultiDiscrete(_array(told["nvec"]), dtype=np.dtype(told["dtype"]).type)
    if kind == "MultiBinary":
        return spaces.MultiBinary(told["n"])
    if kind == "Text":
        return spaces.Text(told["max_length"], min_length=0, charset=string.printable)
    if kind == "Dict":
        return spaces.Dict({key: space_of(part) for key, part in told["spaces"].items()})
    return spaces.Tuple([space_of(part) for part in told["spaces"]])


def _array(told: Dict[str, Any]) -> Any:
    import numpy as np

    return np.frombuffer(base64.b64decode(told["b64"]), dtype=told["nd"]).reshape(told["shape"])
