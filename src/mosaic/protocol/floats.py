"""How a float64 crosses JSON without losing a bit. Pure.

JSON has no NaN and no infinities, and writers disagree about them. Our encoding: finite numbers are JSON
numbers (shortest round-trip form, so -0.0 and subnormals survive), the rest are strings: "NaN", "Infinity",
"-Infinity", and "NaN:<16 hex digits>" for a NaN whose bits are not the usual ones.
"""

from __future__ import annotations

import math
import re
import struct

from mosaic.errors import ProtocolError

__all__ = ["JsonFloat", "bits_of", "from_json", "to_json"]

JsonFloat = float | str
"""What a float field holds on the wire: a number, or one of the strings above."""

_USUAL_NAN = 0x7FF8000000000000
_ODD_NAN = re.compile("NaN:([0-9a-fA-F]{16})")
_NAMED = {"NaN": math.nan, "Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}


def bits_of(value: float) -> int:
    """The 64 bits of a float, for exact comparison."""
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def to_json(value: float) -> JsonFloat:
    """The wire form of a float: itself when finite, else its name."""
    if value - value == 0.0:
        return value
    if value != value:  # noqa: PLR0124  (the NaN test)
        bits = bits_of(value)
        return "NaN" if bits == _USUAL_NAN else f"NaN:{bits:016x}"
    return "Infinity" if value > 0 else "-Infinity"


def from_json(value: JsonFloat) -> float:
    """The float behind its wire form.

    Raises:
        ProtocolError: for a string that names no float.
    """
    if not isinstance(value, str):
        return float(value)
    if value in _NAMED:
        return _NAMED[value]
    spelled = _ODD_NAN.fullmatch(value)
    if spelled:
        number = float(struct.unpack(">d", bytes.fromhex(spelled[1]))[0])
        if number != number:  # noqa: PLR0124  (only a NaN may be spelled this way)
            return number
    raise ProtocolError(f"expected a number, 'NaN', 'Infinity' or '-Infinity', got {value[:40]!r}")
