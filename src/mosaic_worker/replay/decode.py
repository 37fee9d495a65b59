"""Recorded JSON values back as what an environment takes: the inverse of `values`, where there is one.

What was recorded as a checksum or as a mere description cannot be given back: that is said, never guessed.
"""

from __future__ import annotations

import base64
import struct
from typing import Any, Dict, Optional

__all__ = ["LostError", "argument", "array", "live", "tensors"]

_NAMED = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class LostError(Exception):
    """A value was not recorded in a form that can be used again."""


def live(value: Any, space: Any = None) -> Any:
    """A recorded value, in the form its space wants.

    Raises:
        LostError: only a checksum or a description of it was recorded.
    """
    if isinstance(value, dict):
        return _from_dict(value, space)
    if isinstance(value, list):
        parts: Any = getattr(space, "spaces", None)
        if type(space).__name__ == "Tuple" and len(parts) == len(value):
            return tuple(live(item, part) for item, part in zip(value, parts))  # noqa: B905  (3.8 has no strict)
        if (
            type(space).__name__ == "OneOf" and len(value) == 2
        ):  # which of its spaces, and a value of that one
            return value[0], live(value[1], parts[value[0]])
        inner = getattr(space, "feature_space", None)
        items = [live(item, inner) for item in value]
        return tuple(items) if type(space).__name__ == "Sequence" else items
    if isinstance(value, str) and type(space).__name__ != "Text":
        return number(value)
    return value


def _from_dict(value: Dict[str, Any], space: Any) -> Any:
    if "nd" in value and "shape" in value:
        return array(value)
    if set(value) == {"bytes"}:
        return base64.b64decode(value["bytes"])
    if set(value) == {"repr", "type"}:
        raise LostError(
            f"a value of type {value['type']} was recorded only as a description: {value['repr']}"
        )
    parts = getattr(space, "spaces", None)
    parts = parts if isinstance(parts, dict) else {}
    return {key: live(item, parts.get(key)) for key, item in value.items()}


def array(value: Dict[str, Any]) -> Any:
    """A recorded array, bit for bit, writable."""
    import numpy as np

    if "b64" not in value:
        shape = "x".join(str(length) for length in value["shape"])
        raise LostError(f"an array ({value['nd']}, {shape}) was too large to be recorded whole")
    data = np.frombuffer(base64.b64decode(value["b64"]), dtype=value["nd"])
    return data.reshape(value["shape"]).copy()


def tensors(value: Any) -> Any:
    """A live value with its arrays as tensors of torch."""
    import numpy as np
    import torch

    if isinstance(value, dict):
        return {key: tensors(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(tensors(item) for item in value)
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


def argument(value: Any) -> Any:
    """A recorded keyword argument of an environment: plain JSON, arrays, and floats that have a name."""
    if isinstance(value, dict):
        if "nd" in value or set(value) in ({"bytes"}, {"repr", "type"}):
            return _from_dict(value, None)
        return {key: argument(item) for key, item in value.items()}
    if isinstance(value, list):
        return [argument(item) for item in value]
    return number(value) if isinstance(value, str) else value


def number(text: str) -> Any:
    """The float a text names, or the text."""
    if text in _NAMED:
        return _NAMED[text]
    if text.startswith("NaN:") and len(text) == 20:
        found: Optional[float] = struct.unpack(">d", bytes.fromhex(text[4:]))[0]
        return found
    return text
