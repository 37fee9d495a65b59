"""Values of sessions between processes: a JSON tree, and the bytes of its arrays beside it. Pure.

Numbers, texts, lists, dicts and numpy arrays and scalars travel; tuples come back as tuples. Anything else is
refused. numpy is used where a value already brought it, and where an array comes back.
"""

from __future__ import annotations

import sys
from typing import Any, List, Tuple

__all__ = ["ParcelError", "pack", "unpack"]

_ARRAY, _SCALAR, _TUPLE = "$nd", "$np", "$tuple"
_PLAIN = (str, int, float, bool, type(None))


class ParcelError(Exception):
    """A value that cannot travel, or bytes that are no value."""


def pack(value: Any) -> Tuple[Any, bytes]:
    """A value as a JSON tree, and the bytes of all arrays in it, one after the other.

    Raises:
        ParcelError: something in it has no such form.
    """
    parts: List[bytes] = []
    tree = _packed(value, parts, 0)[0]
    return tree, b"".join(parts)


def _packed(value: Any, parts: List[bytes], at: int) -> Tuple[Any, int]:
    """The tree of a value whose first array's bytes begin at `at`, and where the next one's do."""
    kind = type(value)
    if kind in _PLAIN:
        return value, at
    if kind in (list, tuple):
        items = []
        for item in value:
            packed, at = _packed(item, parts, at)
            items.append(packed)
        return ({_TUPLE: items} if kind is tuple else items), at
    if isinstance(value, dict):
        found = {}
        for key, item in value.items():
            if not isinstance(key, str) or key.startswith("$"):
                raise ParcelError(f"a key {key!r} cannot travel: keys are texts without a $ in front")
            found[key], at = _packed(item, parts, at)
        return found, at
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray) and not value.dtype.hasobject:
        data = value.tobytes()
        parts.append(data)
        return {_ARRAY: [value.dtype.str, list(value.shape), at]}, at + len(data)
    if numpy is not None and isinstance(value, numpy.generic) and value.dtype.kind in "biufSU":
        return {_SCALAR: [value.dtype.str, value.item()]}, at
    raise ParcelError(f"a {kind.__module__}.{kind.__qualname__} cannot travel between processes")


def unpack(tree: Any, body: bytes) -> Any:
    """The value again. Arrays are writable copies.

    Raises:
        ParcelError: an array lies outside of the bytes, or is of no known type.
    """
    if isinstance(tree, list):
        return [unpack(item, body) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if _ARRAY in tree:
        return _array(tree[_ARRAY], body)
    if _SCALAR in tree:
        return _scalar(tree[_SCALAR])
    if _TUPLE in tree:
        return tuple(unpack(item, body) for item in tree[_TUPLE])
    return {key: unpack(item, body) for key, item in tree.items()}


def _array(told: Any, body: bytes) -> Any:
    import numpy as np

    try:
        kind, shape, at = told
        dtype = np.dtype(kind)
        count = 1
        for length in shape:
            count *= length
        if dtype.hasobject or at < 0 or count < 0 or at + count * dtype.itemsize > len(body):
            raise ParcelError(f"an array of {kind} {shape} does not lie in {len(body)} bytes")
        return np.frombuffer(body, dtype, count, at).reshape(shape).copy()
    except (TypeError, ValueError) as error:
        raise ParcelError(f"{told!r} is no array: {error}") from None


def _scalar(told: Any) -> Any:
    import numpy as np

    try:
        kind, value = told
        return np.dtype(kind).type(value)
    except (TypeError, ValueError) as error:
        raise ParcelError(f"{told!r} is no number: {error}") from None
