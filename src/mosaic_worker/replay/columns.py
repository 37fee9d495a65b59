"""Values of a space as columns of plain arrays, and a space as JSON. For datasets; needs numpy only.

A value of a space of spaces is taken apart: each innermost space has a path (keys of a Dict, positions of a
Tuple) and a column with a row for each value. Refuses spaces whose values have no fixed layout, by name.
"""

from __future__ import annotations

import base64
from typing import Any, Dict, Iterator, List, Sequence, Tuple

__all__ = ["Columns", "UnfitError", "describe"]

_NUMBERS = ("Box", "Discrete", "MultiBinary", "MultiDiscrete")
_CHUNK_BYTES = 64 << 20
_LONGEST_TEXT = 4096

Path = Tuple[Any, ...]
Message = Tuple[Dict[str, Any], bytes]


class UnfitError(Exception):
    """A space or a value that no column can hold; says which."""


def describe(space: Any) -> Dict[str, Any]:  # noqa: PLR0911  (one return per kind of space)
    """A space as JSON, enough to build it again in another interpreter.

    Raises:
        UnfitError: its values have no fixed layout.
    """
    kind = _kind(space)
    if kind == "Box":
        bounds = {"low": _bound(space.low), "high": _bound(space.high)}
        return {"type": kind, "dtype": space.dtype.str, "shape": list(space.shape), **bounds}
    if kind == "Discrete":
        return {"type": kind, "n": int(space.n), "start": int(getattr(space, "start", 0))}
    if kind == "MultiDiscrete":
        return {"type": kind, "nvec": _array(space.nvec), "dtype": space.dtype.str}
    if kind == "MultiBinary":
        return {"type": kind, "n": int(space.n) if len(space.shape) == 1 else list(space.shape)}
    if kind == "Text":
        return {"type": kind, "max_length": int(getattr(space, "max_length", _LONGEST_TEXT))}
    if kind == "Dict":
        return {"type": kind, "spaces": {str(key): describe(part) for key, part in space.spaces.items()}}
    return {"type": kind, "spaces": [describe(part) for part in space.spaces]}


def _kind(space: Any) -> str:
    """Which of the known spaces it is, or is derived from."""
    for known in type(space).__mro__:
        if known.__name__ in (*_NUMBERS, "Text", "Dict", "Tuple"):
            return known.__name__
    if space is not None and isinstance(space.sample(), str):
        return "Text"  # MiniGrid's missions, say: a space of its own, whose values are sentences
    raise UnfitError(f"the space {space!r} cannot be written to a dataset"[:300])


def _bound(values: Any) -> Any:
    """A bound that is the same everywhere as one number, any other as an array."""
    first = values.reshape(-1)[:1]
    return _array(first.reshape(()) if first.size and (values == first[0]).all() else values)


def _array(values: Any) -> Dict[str, Any]:
    return {
        "nd": values.dtype.str,
        "shape": list(values.shape),
        "b64": base64.b64encode(values.tobytes()).decode(),
    }


class Columns:
    """Values of one space, collected row by row. Each is copied: environments use their arrays again."""

    def __init__(self, space: Any) -> None:
        self._leaves: List[Tuple[Path, Any, str]] = list(_leaves(space, ()))
        self._rows: List[List[Any]] = [[] for _ in self._leaves]

    def clear(self) -> None:
        """Begin anew."""
        for rows in self._rows:
            rows.clear()

    def add(self, value: Any) -> None:
        """Add a row.

        Raises:
            UnfitError: it is not a value of the space.
        """
        found = [self._fitted(value, path, space, kind) for path, space, kind in self._leaves]
        for rows, one in zip(self._rows, found):  # noqa: B905  (3.8 has no strict)
            rows.append(one)

    def add_nothing(self) -> None:
        """Add a row that stands for no value: zeros, or no text."""
        import numpy as np

        for rows, (_, space, kind) in zip(self._rows, self._leaves):  # noqa: B905  (3.8 has no strict)
            rows.append("" if kind == "Text" else np.zeros(space.shape, space.dtype))

    def _fitted(self, value: Any, path: Path, space: Any, kind: str) -> Any:
        import numpy as np

        part = value
        try:
            for key in path:
                part = part[key]
            own = part.dtype if isinstance(part, np.ndarray) and part.dtype.kind in "biuf" else space.dtype
            found = part if kind == "Text" else np.array(part, dtype=own)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise UnfitError(f"{value!s:.80} is not a value of {space!s:.200} ({error})") from error
        if kind == "Discrete" and found.size == 1:
            found = found.reshape(())
        if not isinstance(found, str) if kind == "Text" else found.shape != tuple(space.shape):
            raise UnfitError(f"{part!s:.80} is not a value of {space!s:.200}")
        return found

    def messages(self, name: str) -> Iterator[Message]:
        """The columns as messages, each of a bounded size; those of one path follow each other."""
        import json

        import numpy as np

        for rows, (path, _, kind) in zip(self._rows, self._leaves):  # noqa: B905  (3.8 has no strict)
            head = {"type": "column", "name": name, "path": list(path)}
            if kind == "Text":
                yield {**head, "text": True}, json.dumps(rows).encode()
                continue
            whole = np.stack(rows)
            at_once = max(1, _CHUNK_BYTES // max(1, whole[0].nbytes))
            for start in range(0, len(whole), at_once):
                part = whole[start : start + at_once]
                yield {**head, "dtype": part.dtype.str, "shape": list(part.shape)}, part.tobytes()


def _leaves(space: Any, path: Path) -> Iterator[Tuple[Path, Any, str]]:
    kind = _kind(space)
    parts: Sequence[Tuple[Any, Any]] = ()
    if kind == "Dict":
        parts = list(space.spaces.items())
    elif kind == "Tuple":
        parts = list(enumerate(space.spaces))
    else:
        yield path, space, kind
    for key, part in parts:
        for leaf in _leaves(part, (*path, key)):
            yield leaf
