"""Whether what the environment says now is what was recorded. Pure; bit for bit, and says where it is not."""

from __future__ import annotations

import base64
import zlib
from typing import Any, Dict, Optional

from mosaic_worker.shapes import flag, numbers
from mosaic_worker.values import as_array, float_to_json, plain

__all__ = ["FLAGS", "difference", "flags_of", "of_step"]

FLAGS = ((1, "terminated"), (2, "truncated"))
_SHOWN = 6

Difference = Dict[str, Any]
"""`what` (obs, reward, terminated, truncated, raised), `recorded` and `now`, for people to read."""


def flags_of(terminated: Any, truncated: Any) -> int:
    """Both flags as one number."""
    return int(flag(terminated)) + 2 * int(flag(truncated))


def of_step(recorded: Any, obs: Any, reward: Any, flags: int) -> Optional[Difference]:
    """The first difference between a recorded `[reward, flags, obs]` and a step; None when it is the same.

    A reward that is a vector is recorded as the list of its components.
    """
    paid = _paid(reward)
    if repr(paid) != repr(_as_floats(recorded[0])):
        return {"what": "reward", "recorded": str(recorded[0]), "now": str(paid)}
    if recorded[1] != flags:
        for bit, name in FLAGS:
            if (recorded[1] ^ flags) & bit:
                return {"what": name, "recorded": _yes(recorded[1] & bit), "now": _yes(flags & bit)}
    return difference(recorded[2], obs)


def _paid(reward: Any) -> Any:
    """A reward as its record has it: the wire form of a number, or a list of them."""
    if type(reward) is float:
        return float_to_json(reward)
    found = numbers(reward) or [float("nan")]
    shown = [float_to_json(one) for one in found]
    return shown[0] if len(shown) == 1 else shown


def _as_floats(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_floats(one) for one in value]
    return value if isinstance(value, str) else float(value)


def _yes(bit: int) -> str:
    return "yes" if bit else "no"


def difference(  # noqa: PLR0911  (one return per kind of value)
    recorded: Any, now: Any, where: str = "obs"
) -> Optional[Difference]:
    """The first difference between a recorded value and a live one; None when they are the same."""
    if recorded is None and where == "obs":
        return None  # nobody looked at it then
    if isinstance(recorded, dict):
        if "nd" in recorded and "shape" in recorded:
            return _of_array(recorded, now, where)
        if isinstance(now, dict) and "repr" not in recorded:
            return _of_dict(recorded, now, where)
    if isinstance(recorded, list) and isinstance(now, (list, tuple)):
        if len(recorded) != len(now):
            return _told(where, f"{len(recorded)} items", f"{len(now)} items")
        for index, (was, item) in enumerate(zip(recorded, now)):  # noqa: B905  (3.8 has no strict)
            found = difference(was, item, f"{where}[{index}]")
            if found is not None:
                return found
        return None
    shown = plain(now)
    if repr(shown) == repr(recorded):
        return None
    if isinstance(recorded, dict) and set(recorded) == {"repr", "type"}:
        return (
            None
            if isinstance(shown, dict) and shown.get("type") == recorded["type"]
            else _told(where, recorded["type"], str(shown))
        )
    return _told(where, recorded, shown)


def _of_dict(recorded: Dict[str, Any], now: Dict[Any, Any], where: str) -> Optional[Difference]:
    named = {str(key): item for key, item in now.items()}
    if set(named) != set(recorded):
        return _told(where, f"keys {sorted(recorded)}", f"keys {sorted(named)}")
    for key, was in recorded.items():
        found = difference(was, named[key], f"{where}.{key}")
        if found is not None:
            return found
    return None


def _of_array(recorded: Dict[str, Any], now: Any, where: str) -> Optional[Difference]:
    array = as_array(now)
    if array is None:
        return _told(where, f"an array {recorded['nd']} {recorded['shape']}", repr(plain(now))[:200])
    if array.dtype.str != recorded["nd"] or list(array.shape) != recorded["shape"]:
        return _told(where, f"{recorded['nd']} {recorded['shape']}", f"{array.dtype.str} {list(array.shape)}")
    data = array.tobytes()
    if "crc32" in recorded:
        number = zlib.crc32(data)
        if number == recorded["crc32"]:
            return None
        return _told(where, f"crc32 {recorded['crc32']:08x}", f"crc32 {number:08x}")
    was = base64.b64decode(recorded["b64"])
    if was == data:
        return None
    return _values(was, array, where)


def _values(was: bytes, array: Any, where: str) -> Difference:
    import numpy as np

    old = np.frombuffer(was, dtype=array.dtype).reshape(-1)
    new = np.ascontiguousarray(array).reshape(-1)
    size = array.dtype.itemsize
    bits = np.frombuffer(was, np.uint8) != np.frombuffer(new.tobytes(), np.uint8)
    differing = np.flatnonzero(bits.reshape(-1, size).any(axis=1))
    first = differing[:_SHOWN].tolist()
    index = ",".join(str(int(i)) for i in np.unravel_index(first[0], array.shape)) if array.ndim else ""
    return {
        "what": f"{where}[{index}]" if index else where,
        "recorded": " ".join(repr(old[i].item()) for i in first),
        "now": " ".join(repr(new[i].item()) for i in first),
        "count": len(differing),
    }


def _told(where: str, recorded: Any, now: Any) -> Difference:
    return {"what": where, "recorded": str(recorded)[:200], "now": str(now)[:200]}
