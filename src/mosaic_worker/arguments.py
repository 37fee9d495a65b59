"""Plain data as JSON and back, with the types JSON does not have. For arguments and attributes.

`values.plain` is for reading: it shows everything, and a tuple becomes a list. Here nothing may change, so
what is not plain data is refused instead of shown.
"""

from __future__ import annotations

import base64
import os
import sys
from typing import Any, Dict, Optional, Sequence

from mosaic_worker.values import float_from_json, float_to_json

__all__ = ["NotPlainError", "coded", "decoded", "hidden"]

_MAX_ITEMS = 10_000
_MAX_BYTES = 65_536
_MAX_DEPTH = 16
_MARKS = frozenset(
    {"float", "int", "tuple", "set", "frozenset", "items", "path", "bytes", "nd", "repr", "env_context"}
)
"""A dictionary with a key of these is written as its items, so that it cannot be taken for a mark."""
_GIVEN = ("args", "kwargs", "attributes", "options", "config")
"""What of an environment's description, or of its reset, a script chose the values of."""
_PARTS = ("wrapping", "additional_wrappers", "around")
"""Descriptions in a description, or lists of them."""
_ARRAY_KINDS = "biufcSU"
_CONTEXT = "ray.rllib.env.env_context"
_CONTEXT_FIELDS = ("worker_index", "vector_index", "remote", "num_workers", "recreated_worker")


class NotPlainError(Exception):
    """A value is not plain data, or too much of it. The message is its type."""


def coded(value: Any, depth: int = 0) -> Any:  # noqa: PLR0911  (one return per kind of value)
    """A value as JSON that `decoded` turns into an equal value of the same types.

    Raises:
        NotPlainError: it is, or holds, something that is not plain data.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if abs(value) < 1 << 53 else {"int": str(value)}
    if kind is float:
        shown = float_to_json(value)
        return {"float": shown} if isinstance(shown, str) else value
    if depth > _MAX_DEPTH or (
        hasattr(value, "__len__") and kind is not bytes and _length(value) > _MAX_ITEMS
    ):
        raise NotPlainError(_name(value))
    if kind is list:
        return [coded(item, depth + 1) for item in value]
    if kind in (tuple, set, frozenset):
        items = value if kind is tuple else sorted(value, key=repr)
        return {kind.__name__: [coded(item, depth + 1) for item in items]}
    if kind is dict:
        if all(type(key) is str for key in value) and not _MARKS & set(value):
            return {key: coded(item, depth + 1) for key, item in value.items()}
        return {"items": [[coded(key, depth + 1), coded(item, depth + 1)] for key, item in value.items()]}
    if kind.__module__ == _CONTEXT:  # what RLlib makes every environment with: a dictionary that knows more
        known = {name: getattr(value, name) for name in _CONTEXT_FIELDS if hasattr(value, name)}
        return {"env_context": [coded(dict(value), depth + 1), coded(known, depth + 1)]}
    if kind is bytes and len(value) <= _MAX_BYTES:
        return {"bytes": base64.b64encode(value).decode()}
    pathlib = sys.modules.get("pathlib")
    if pathlib is not None and isinstance(value, pathlib.PurePath):
        return {"path": os.fspath(value)}
    return _array(value)


def _array(value: Any) -> Dict[str, Any]:
    numpy = sys.modules.get("numpy")
    if numpy is None or (type(value) is not numpy.ndarray and not isinstance(value, numpy.generic)):
        raise NotPlainError(_name(value))
    array = numpy.asarray(value)
    if array.dtype.kind not in _ARRAY_KINDS or array.nbytes > _MAX_BYTES:
        raise NotPlainError(_name(value))
    found: Dict[str, Any] = {"nd": array.dtype.str, "shape": list(array.shape)}
    found["b64"] = base64.b64encode(array.tobytes()).decode()
    if isinstance(value, numpy.generic):
        found["scalar"] = True
    return found


def _length(value: Any) -> int:
    try:
        return len(value)
    except (TypeError, ValueError, NotImplementedError, AttributeError):
        return 0


def _name(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def decoded(value: Any) -> Any:  # noqa: PLR0911  (one return per mark)
    """The value behind what `coded` gave.

    Raises:
        NotPlainError: it was only described, or only its checksum was kept.
    """
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"repr", "type"} or ("nd" in value and "b64" not in value):
        raise NotPlainError(str(value.get("type") or "an array that is too large"))
    if "nd" in value:
        import numpy as np

        data = np.frombuffer(base64.b64decode(value["b64"]), dtype=value["nd"])
        array = data.reshape(value["shape"]).copy()
        return array[()] if value.get("scalar") else array
    if len(value) == 1:
        mark, held = next(iter(value.items()))
        if mark in ("tuple", "set", "frozenset"):
            kinds: Dict[str, Any] = {"tuple": tuple, "set": set, "frozenset": frozenset}
            return kinds[mark](decoded(item) for item in held)
        if mark == "items":
            return {decoded(key): decoded(item) for key, item in held}
        if mark == "int":
            return int(held)
        if mark == "float":
            return float_from_json(held)
        if mark == "path":
            import pathlib

            return pathlib.Path(held)
        if mark == "bytes":
            return base64.b64decode(held)
        if mark == "env_context":
            return _context(*map(decoded, held))
    return {key: decoded(item) for key, item in value.items()}


def hidden(description: Dict[str, Any], secrets: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    """How an environment was made or reset, with the mark for every secret that it was given.

    `secrets` are known by their value; without them, those of this process: its variables and its command.
    """
    if secrets is None and not any(_has_text(description.get(name)) for name in (*_GIVEN, *_PARTS)):
        return description  # to know the secrets takes a millisecond, and some are reset more often than that
    if secrets is None:
        from mosaic_worker.common import redact  # compiles patterns: only for those who record an environment

        secrets = redact.known(os.environ, [str(word) for word in getattr(sys, "argv", None) or ()])
    found = dict(description)
    for name in _GIVEN:
        if found.get(name):
            found[name] = _hidden(found[name], "", secrets)
    for name in _PARTS:
        part = found.get(name)
        if isinstance(part, dict):
            found[name] = hidden(part, secrets)
        elif part:
            found[name] = [hidden(one, secrets) for one in part]
    return found


def _has_text(value: Any) -> bool:
    if isinstance(value, dict):
        return "nd" not in value and any(map(_has_text, value.values()))
    return any(map(_has_text, value)) if isinstance(value, (list, tuple)) else isinstance(value, str)


def _hidden(value: Any, name: str, secrets: Sequence[str]) -> Any:
    """As `redact.hide_values`, for what `coded` gave: a mark has the name of what it stands for."""
    from mosaic_worker.common import redact

    if isinstance(value, list):
        return [_hidden(item, name, secrets) for item in value]
    if not isinstance(value, dict):
        return redact.hide_values(value, secrets, name)
    if "nd" in value:
        return value
    if set(value) == {"bytes"}:
        return redact.MARK if redact.is_secret_name(name) else value
    if set(value) == {"items"}:
        return {"items": [[key, _hidden(item, str(key), secrets)] for key, item in value["items"]]}
    marks = _MARKS & set(value)
    return {key: _hidden(item, name if marks else key, secrets) for key, item in value.items()}


def _context(given: Dict[str, Any], known: Dict[str, Any]) -> Any:
    """RLlib's `EnvContext`. Whoever is made with one has imported it: nothing is imported for it."""
    module = sys.modules.get(_CONTEXT)
    if module is None:
        raise NotPlainError(f"{_CONTEXT}.EnvContext")
    return module.EnvContext(given, **known)
