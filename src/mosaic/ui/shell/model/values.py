"""Steps, actions, observations in one short line each: small arrays by number, large ones by shape. Pure."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

import numpy as np

from mosaic.text import fit, in_json, number

if TYPE_CHECKING:
    from mosaic.protocol.rows import StepRow

__all__ = ["flags", "value_cells", "value_text"]

_MOST_NUMBERS = 12
_MOST_CELLS = 120


def value_text(value: Any, *, cells: int = _MOST_CELLS) -> str:
    """A recorded value as text without control characters, no longer than so many characters."""
    return fit(in_json(_opened(value), cells=cells), cells)


def _opened(value: Any) -> Any:
    """The value with its small arrays as lists."""
    if isinstance(value, dict) and "nd" in value:
        return _numbers(value)
    if isinstance(value, dict):
        return {key: _opened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_opened(item) for item in value]
    return value


def _numbers(value: dict[str, Any]) -> Any:
    shape = value.get("shape", ())
    try:
        kind = np.dtype(str(value["nd"]))
        count = int(np.prod(shape, dtype=np.int64))
        if kind.hasobject or not 0 < count <= _MOST_NUMBERS:
            return value
        data = base64.b64decode(str(value.get("b64", "")), validate=True)
        return np.frombuffer(data, kind, count=count).reshape(shape).tolist()
    except (TypeError, ValueError, binascii.Error):
        return value


def flags(row: StepRow) -> str:
    """How a step ended its episode, if it did."""
    said = [name for name, set_ in (("terminated", row.terminated), ("truncated", row.truncated)) if set_]
    return ", ".join(said)


def value_cells(row: StepRow) -> tuple[str, str, str, str]:
    """Action, reward, flags and observation of a step, short."""
    return value_text(row.action), number(row.reward), flags(row), value_text(row.obs)
