"""Where two recorded episodes part: the first step at which they are not the same. Pure.

Values are compared as recorded, bit for bit. An observation stands for itself by its fingerprint, so that one
recorded whole and one recorded as a checksum can be compared. What one side did not record is not compared.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import zlib
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["RESET", "Episode", "Parting", "Turn", "fingerprint", "parting"]

RESET: Final = -1
"""The step of a parting at the reset, before any action."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One step: the action executed, what it paid, the fingerprint of what it led to (None: unrecorded)."""

    action: Any
    reward: float
    observation: str | None = None
    ended: str = ""
    """`terminated`, `truncated`, or empty while the episode goes on."""


@dataclass(frozen=True, kw_only=True)
class Episode:
    """An episode as it is compared: what its reset led to, and its steps in order."""

    reset: str | None
    turns: Iterable[Turn]


@dataclass(frozen=True, kw_only=True)
class Parting:
    """The first step that differs, counted from 0, and what of it does.

    `what` holds `action`, `reward`, `observation`, `ended`; at the reset (`step` is `RESET`) `observation`.
    Where one episode is the other's beginning it is `end`, and `step` is the first that only one of them has.
    """

    step: int
    what: tuple[str, ...]


def parting(first: Episode, second: Episode) -> Parting | None:
    """The first step at which two episodes part; None when they are the same to the end."""
    if _seen_apart(first.reset, second.reset):
        return Parting(step=RESET, what=("observation",))
    for step, (one, other) in enumerate(zip_longest(first.turns, second.turns)):
        if one is None or other is None:
            return Parting(step=step, what=("end",))
        what = _differing(one, other)
        if what:
            return Parting(step=step, what=what)
    return None


def _differing(one: Turn, other: Turn) -> tuple[str, ...]:
    apart = {
        "action": fingerprint(one.action) != fingerprint(other.action),
        "reward": _bits(one.reward) != _bits(other.reward),
        "observation": _seen_apart(one.observation, other.observation),
        "ended": one.ended != other.ended,
    }
    return tuple(name for name, differs in apart.items() if differs)


def _seen_apart(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _bits(value: float) -> bytes:
    return struct.pack("<d", value)


def fingerprint(value: Any) -> str | None:
    """A recorded value in few characters: equal for equal values, arrays by their crc32. None for None."""
    return None if value is None else json.dumps(_marked(value), sort_keys=True, separators=(",", ":"))


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        if "nd" in value and "shape" in value:
            return {"nd": value["nd"], "shape": value["shape"], "crc32": _checksum(value)}
        return {key: _marked(item) for key, item in value.items()}
    return [_marked(item) for item in value] if isinstance(value, list | tuple) else value


def _checksum(array: dict[str, Any]) -> Any:
    if "b64" not in array:
        return array.get("crc32")
    try:
        return zlib.crc32(base64.b64decode(array["b64"]))
    except (binascii.Error, TypeError, ValueError):
        return array["b64"]  # not an array after all: compared as it came
