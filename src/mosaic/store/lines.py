"""Events as the JSON they came as, unknown fields and integers of any size included. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.protocol import codec

if TYPE_CHECKING:
    from mosaic.protocol.events import Event

__all__ = ["json_of", "to_bytes"]


def json_of(event: Event, extra: bytes | None = None) -> bytes:
    """An event as one JSON object that begins with its `type`."""
    try:
        data = codec.encode(event)
        if extra is None:
            return data
    except OverflowError:  # an integer over 64 bits
        plain = {
            field.encode_name: _plain(getattr(event, field.name))
            for field in msgspec.structs.fields(type(event))
            if getattr(event, field.name) is not field.default  # as `omit_defaults` has it
        }
        data = to_bytes({"type": event.__struct_config__.tag, **plain})
    return to_bytes({**json.loads(data), **json.loads(extra or b"{}")})


def to_bytes(value: Any) -> bytes:
    """Any JSON value, integers over 64 bits included."""
    try:
        return msgspec.json.encode(value)
    except OverflowError:
        return json.dumps(value, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Raw):
        return json.loads(bytes(value))
    return None if value is msgspec.UNSET else value
