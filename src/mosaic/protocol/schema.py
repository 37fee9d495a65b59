"""The JSON Schema of a journal line, generated from the event types. Pure.

Run as a module it prints the schema; `docs/events.schema.json` is that output, and a test keeps it so.
"""

from __future__ import annotations

import inspect
import sys
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from mosaic.protocol.events import EVENT_TYPES, PROTOCOL_VERSION

__all__ = ["event_schema"]


def event_schema() -> dict[str, Any]:
    """The schema of one line: one of the event types, told apart by `type`. Unknown fields are allowed."""
    kinds = [_open(kind, cls) for kind, cls in EVENT_TYPES.items()]
    schema = msgspec.json.schema(reduce(or_, kinds))
    for name, cls in zip((kind.title() for kind in EVENT_TYPES), EVENT_TYPES.values(), strict=True):
        schema["$defs"][name]["description"] = inspect.cleandoc(cls.__doc__ or "")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"MOSAIC event, protocol {PROTOCOL_VERSION}",
        **schema,
    }


def _open(kind: str, cls: type[msgspec.Struct]) -> Any:
    """A look-alike of an event whose undecoded fields are plain JSON, as a writer may put there."""
    fields: list[Any] = []
    for field in msgspec.structs.fields(cls):
        annotation = Any if field.type is msgspec.Raw else field.type
        if field.required:
            fields.append((field.name, annotation, msgspec.field(name=field.encode_name)))
        elif field.default_factory is not msgspec.NODEFAULT:
            default = msgspec.field(default_factory=field.default_factory, name=field.encode_name)
            fields.append((field.name, annotation, default))
        else:
            value = None if isinstance(field.default, msgspec.Raw) else field.default
            fields.append((field.name, annotation, msgspec.field(default=value, name=field.encode_name)))
    return msgspec.defstruct(kind.title(), fields, tag_field="type", tag=kind, kw_only=True)


if __name__ == "__main__":
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(event_schema()), indent=2).decode() + "\n")
