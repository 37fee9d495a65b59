"""What becomes of each kind of event: which table keeps it, and who reads it. Pure data.

This is the one list of the kinds. Ledger, reader, verify, exports, `mosaic events`, gRPC's `ListEvents` and
the table in docs/events.md are made from it. To add a kind, write its struct in `protocol.events` and its
line in the union there, and add a `Kind` here. The struct is also the row that readers get.

Run as a module it prints the table of docs/events.md; a test keeps it there.
"""

from __future__ import annotations

import sys
from functools import cached_property
from types import NoneType, UnionType
from typing import Any, Final, get_args

import msgspec

from mosaic.protocol import events

__all__ = ["BY_STEP", "KINDS", "LISTED", "SHARED_TABLE", "Kind", "as_markdown", "columns_of"]

SHARED_TABLE: Final = "events"
"""Keeps every kind that has no table of its own, and the kinds this version does not know."""


class Kind(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One kind of event. `dict=True` lets the properties below be worked out once."""

    event: Any
    """Its struct in `protocol.events`; `Any`, because msgspec knows no type for "a struct's class"."""
    table: str = SHARED_TABLE
    """The table of the store that keeps it."""
    by_step: bool = False
    """It tells about a step of an episode: its table is its own, and indexed by episode and step."""
    read_with: str = ""
    """The command that lists it, where it has a layout and a reader of its own. Empty: `mosaic events`."""

    @cached_property
    def name(self) -> str:
        """What stands under `type` in the journal."""
        return str(self.event.__struct_config__.tag)

    @cached_property
    def columns(self) -> dict[str, type]:
        """Its fields as `columns_of` gives them."""
        return columns_of(self.event)

    @cached_property
    def floats(self) -> tuple[str, ...]:
        """The attributes that hold floats, which may stand in the journal by name (`"NaN"`)."""
        return tuple(
            field.name for field in msgspec.structs.fields(self.event) if _column_type(field.type) is float
        )


def columns_of(struct: type[msgspec.Struct]) -> dict[str, type]:
    """The fields of an event or a row under their names in JSON, and what an exported column of them holds.

    `object` is any JSON value. `seq` is left out: it is the cursor of readers of one store.
    """
    return {
        field.encode_name: _column_type(field.type)
        for field in msgspec.structs.fields(struct)
        if field.name != "seq"
    }


def _column_type(annotation: Any) -> type:
    parts = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    held = set(parts) - {NoneType, msgspec.UnsetType}
    if held == {float, str}:  # `floats.JsonFloat`
        return float
    (one,) = held if len(held) == 1 else (object,)
    return one if one in (str, int, float, bool) else object


KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind(event=events.Hello),
        Kind(event=events.Config),
        Kind(event=events.Reset, table="resets", read_with="mosaic episodes RUN"),
        Kind(event=events.Step, table="chunks", read_with="mosaic steps RUN EPISODE"),
        Kind(event=events.Episode, table="episodes", read_with="mosaic episodes RUN"),
        Kind(event=events.Metric, table="metrics", read_with="mosaic metrics RUN"),
        Kind(event=events.Checkpoint, table="checkpoints", read_with="mosaic checkpoints RUN"),
        Kind(event=events.Artifacts),
        Kind(event=events.Decision, table="decisions", by_step=True),
        Kind(event=events.Belief, table="beliefs", by_step=True),
        Kind(event=events.Log),
        Kind(event=events.Bye),
    )
}
"""Every kind of the protocol, by name."""

LISTED: Final = {name: kind for name, kind in KINDS.items() if not kind.read_with}
"""Those that `mosaic events` lists."""

BY_STEP: Final = {name: kind for name, kind in KINDS.items() if kind.by_step}
"""Those that are found by episode and step."""


def as_markdown() -> str:
    """The table of docs/events.md."""
    lines = ["| kind | kept in | found by | read with |", "|---|---|---|---|"]
    for name, kind in KINDS.items():
        found = "episode and step, order" if kind.by_step else "order" if name in LISTED else "its own index"
        command = kind.read_with or f"mosaic events RUN --kind {name}"
        lines.append(f"| [`{name}`](#{name}) | `{kind.table}` | {found} | `{command}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(as_markdown())
