"""Other people's values as plain numbers and JSON. Refuses, by answering None, whatever is neither."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

__all__ = ["flatten", "number", "plain", "plain_items", "whole"]

_MAX_DEPTH = 8
_MAX_ITEMS = 1000


def number(value: Any) -> Optional[float]:
    """The float64 a scalar stands for (one-element tensors and arrays too), or None. NaN stays NaN."""
    if isinstance(value, (str, bytes, bytearray)) or value is None:
        return None
    try:
        if hasattr(
            value, "item"
        ):  # tensors, numpy scalars and arrays: raises when there is more than one element
            value = value.item()
        if isinstance(value, (str, bytes, bytearray, complex)):
            return None
        return float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None


def whole(value: Any) -> Optional[int]:
    """The int a step counter stands for, or None when it has none."""
    found = number(value)
    if found is None or found - found != 0.0:
        return None
    return int(value) if isinstance(value, int) else int(found)


def flatten(values: Mapping[Any, Any], prefix: str = "") -> Iterator[Tuple[str, float]]:
    """Every scalar in nested mappings, under its path joined by `/`."""
    for key, value in values.items():
        name = prefix + str(key)
        if isinstance(value, Mapping):
            if name.count("/") < _MAX_DEPTH:
                for found in flatten(value, name + "/"):
                    yield found
            continue
        scalar = number(value)
        if scalar is not None:
            yield name, scalar


_SKIP = object()


def plain(value: Any, depth: int = 0) -> Any:
    """`value` as JSON would hold it, or `None` for what is neither plain nor a number."""
    found = _plain(value, depth)
    return None if found is _SKIP else found


def plain_items(values: Mapping[Any, Any]) -> Dict[str, Any]:
    """The plain entries of a mapping; the others are left out."""
    found = {str(key): _plain(value, 1) for key, value in values.items()}
    return {key: value for key, value in found.items() if value is not _SKIP}


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, str) or type(value) in (bool, int, float):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping) and depth <= _MAX_DEPTH:
        entries = {str(key): _plain(item, depth + 1) for key, item in list(value.items())[:_MAX_ITEMS]}
        return {key: item for key, item in entries.items() if item is not _SKIP}
    if isinstance(value, (list, tuple, set, frozenset)) and depth <= _MAX_DEPTH:
        items = [_plain(item, depth + 1) for item in list(value)[:_MAX_ITEMS]]
        return [item for item in items if item is not _SKIP]
    scalar = number(value) if hasattr(value, "item") else None
    if scalar is None:
        return _SKIP
    return int(scalar) if "int" in str(getattr(value, "dtype", "")) else scalar
