"""Journal lines to events and back. Pure: bytes in, structs out; nothing is ever dropped silently.

`decode_lines` is the fast road: a whole block in one call. It refuses the block when any line is odd, and the
caller then walks it with `decode_line`, which accepts what foreign writers do (bare NaN, unknown fields and
types) and otherwise says exactly what is wrong.
"""

from __future__ import annotations

import json
from typing import Any, get_args

import msgspec

from mosaic.errors import ProtocolError
from mosaic.protocol import floats
from mosaic.protocol.events import EVENT_TYPES, LATER_FIELDS, Event

__all__ = ["MAX_LINE_BYTES", "Decoded", "Unknown", "decode_line", "decode_lines", "encode"]

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A longer line is quarantined unread."""

_MAX_DEPTH = 64
_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_field_names = {
    kind: {field.encode_name for field in msgspec.structs.fields(cls)} for kind, cls in EVENT_TYPES.items()
}
_later_fields = {
    cls: [field for field in msgspec.structs.fields(cls) if field.encode_name in names]
    for cls, names in LATER_FIELDS.items()
}
_later_floats = {
    cls: [field for field in fields if float in get_args(field.type)] for cls, fields in _later_fields.items()
}


class Unknown(msgspec.Struct, frozen=True):
    """A well-formed object of a type this version does not know. Kept as it came."""

    type: str
    raw: bytes


class Decoded(msgspec.Struct, frozen=True):
    """One line, understood. `extra` holds the fields this version does not know, as JSON."""

    event: Event | Unknown
    extra: bytes | None = None


def encode(event: Event) -> bytes:
    """The journal line of an event, without the newline."""
    return _encoder.encode(event)


def decode_lines(block: bytes | bytearray | memoryview) -> list[Event]:
    """All events of a block of whole, well-known lines.

    Raises:
        ProtocolError: when any line is not plain protocol 1; nothing is returned then.
    """
    try:
        return _decoder.decode_lines(block)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(str(error)) from error


def decode_line(line: bytes) -> Decoded:
    """One line, with all the tolerance we have.

    Raises:
        ProtocolError: what is wrong, and how the line starts.
    """
    if len(line) > MAX_LINE_BYTES:
        raise ProtocolError(f"line of {len(line)} bytes is over the limit of {MAX_LINE_BYTES}")
    try:
        event = _decoder.decode(line)
        # Any text fits a float field's type; one that names no float is for the closer look.
        if all(_fits(getattr(event, field.name), field) for field in _later_floats.get(type(event), ())):
            return Decoded(event)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return _decode_tolerantly(line)
    except (ValueError, RecursionError, msgspec.MsgspecError, ProtocolError) as error:
        start = line[:80].decode("utf-8", "backslashreplace")
        what = str(error) or type(error).__name__
        raise ProtocolError(f"not an event: {what}. It starts {start!r}") from error


def _decode_tolerantly(line: bytes) -> Decoded:
    fields = json.loads(line.decode("utf-8"), parse_constant=_bare_constant, parse_float=_finite_or_named)
    if not isinstance(fields, dict):
        raise ProtocolError(f"expected an object, got {type(fields).__name__}")
    _check_depth(fields)
    if "type" not in fields and fields.get("event") in EVENT_TYPES:
        fields["type"] = fields.pop("event")  # some writers tag their lines "event"
    kind = fields.get("type")
    if not isinstance(kind, str):
        raise ProtocolError("it has no 'type'")
    cls = EVENT_TYPES.get(kind)
    if cls is None:
        return Decoded(Unknown(kind, bytes(line)))
    known = _field_names[kind] | {"type"}
    extra = {name: value for name, value in fields.items() if name not in known}
    for field in _later_fields.get(cls, ()):
        if field.encode_name in fields and not _fits(fields[field.encode_name], field):
            extra[field.encode_name] = fields[field.encode_name]
    for name in extra:
        del fields[name]
    event = _decoder.decode(_encoder.encode(fields))
    return Decoded(event, _encoder.encode(extra) if extra else None)


def _fits(value: Any, field: msgspec.structs.FieldInfo) -> bool:
    """Whether a field can hold a JSON value."""
    if field.type is msgspec.Raw:
        return True  # any value
    try:
        held = msgspec.convert(value, field.type)
        if isinstance(held, str) and float in get_args(field.type):
            floats.from_json(held)
    except (msgspec.ValidationError, ProtocolError):
        return False
    return True


def _bare_constant(name: str) -> floats.JsonFloat:
    return floats.to_json(float(name.replace("Infinity", "inf")))


def _finite_or_named(digits: str) -> floats.JsonFloat:
    """A number too large for a float64 (`1e400`) is infinity; as such it would be written as null."""
    return floats.to_json(float(digits))


def _check_depth(value: Any) -> None:
    """Refuse what would overflow the stack of a later reader."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if not below:
            return
        level = below
    raise ProtocolError(f"it is nested deeper than {_MAX_DEPTH} levels")
