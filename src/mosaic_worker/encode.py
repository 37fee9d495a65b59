"""Values and step lines as JSON bytes, quickly. Formatting bytes beats every encoder for lines of one shape.

Whatever is cached here (an array's header, the last reward, small actions) is cached by identity or exact
type, so that equal but different values (1, 1.0 and True; 0.0 and -0.0) never share an encoding.
"""

from __future__ import annotations

import json
import sys
import zlib
from binascii import b2a_base64
from typing import Any, Dict, Optional, Tuple

from mosaic_worker.values import float_to_json, plain

__all__ = ["ArrayHead", "dumps", "float_bytes", "object_bytes", "value_bytes"]

_encode = json.JSONEncoder(
    ensure_ascii=True, allow_nan=False, check_circular=False, separators=(",", ":")
).encode
_FLOATS = {float}


def dumps(value: Any) -> bytes:
    """Plain JSON values as bytes. ASCII only, so no newline, NUL or broken UTF-8 can get into a line."""
    return _encode(value).encode("ascii")


def float_bytes(value: float) -> bytes:
    """A float as JSON: shortest digits that give the same bits back, or its quoted name."""
    shown = float_to_json(value)
    return b'"%b"' % shown.encode() if isinstance(shown, str) else repr(shown).encode()


def value_bytes(value: Any, inline_bytes: int) -> bytes:
    """Any value as JSON."""
    kind = type(value)
    if kind is int:
        return b"%d" % value if -(1 << 63) <= value < (1 << 64) else b'"%d"' % value
    if kind is float:
        return float_bytes(value)
    if value is None:
        return b"null"
    if (kind is list or kind is tuple) and set(map(type, value)) == _FLOATS:
        shown = repr(value if kind is list else list(value))
        if "n" not in shown:  # neither nan nor inf
            return shown.encode()
    return dumps(plain(value, inline_bytes=inline_bytes))


class ArrayHead:
    """The constant part of arrays of one type and shape: everything before the data.

    `quick` means: `start`, the data in base64, and `"}` are the whole value. `start` is empty for arrays that
    have no constant part.
    """

    __slots__ = ("dtype", "inline", "limit", "quick", "shape", "start")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.dtype: Any = None
        self.shape: Optional[Tuple[int, ...]] = None
        self.start = b""
        self.inline = True
        self.quick = False

    def bytes_of(self, array: Any) -> bytes:
        """An array's JSON; any other value's too."""
        numpy = sys.modules.get("numpy")
        if numpy is None or type(array) is not numpy.ndarray:
            return value_bytes(array, self.limit)
        if array.dtype is not self.dtype or array.shape != self.shape:
            self._learn(array)
        if not self.start:
            return value_bytes(array, self.limit)
        try:
            if self.inline:
                return b'%b%b"}' % (self.start, b2a_base64(array, newline=False))
            return b"%b%d}" % (self.start, zlib.crc32(array))
        except ValueError:  # not contiguous: take the bytes in C order
            data = array.tobytes()
            if self.inline:
                return b'%b%b"}' % (self.start, b2a_base64(data, newline=False))
            return b"%b%d}" % (self.start, zlib.crc32(data))

    def _learn(self, array: Any) -> None:
        self.dtype = None  # known again when all the rest is: an interrupt may come in between
        self.inline = array.nbytes <= self.limit
        self.start = b""
        if array.dtype.kind in "biufc":
            head = dumps({"nd": array.dtype.str, "shape": list(array.shape)})[:-1]
            self.start = head + (b',"b64":"' if self.inline else b',"crc32":')
        self.quick = self.inline and self.start != b""
        self.shape = array.shape
        self.dtype = array.dtype


def object_bytes(fields: Dict[str, Any], inline_bytes: int) -> bytes:
    """An event's fields as a JSON object without its closing brace: what `Journal.append` takes."""
    return dumps(plain(fields, inline_bytes=inline_bytes))[:-1]
