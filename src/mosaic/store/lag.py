"""How far a store is behind its journal. Read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import msgspec

from mosaic.errors import StoreError
from mosaic.store import schema
from mosaic.store.sources import STDOUT, SourceReader, list_sources

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

__all__ = ["Lag", "lag"]

_PIECE = 1 << 20


class Lag(msgspec.Struct, frozen=True):
    """What is in the journal and not yet in the store. `events` counts lines."""

    bytes: int
    events: int


def lag(folder: RunFolder) -> Lag:
    """Count what is still to be ingested; all of it when there is no store.

    Raises:
        StoreError: the store is damaged.
    """
    cursors = _cursors(folder) if folder.store.exists() else {}
    size = events = 0
    for source in list_sources(folder):
        at, done = cursors.get(source.name, (0, False))
        if done:
            continue
        try:
            segment = SourceReader(source)
        except FileNotFoundError:
            continue  # sealed since it was listed: all of it is in the store
        with segment:
            while part := segment.read(at, _PIECE):
                text = part if source.name == STDOUT else part.rstrip(b"\0")
                size += len(text)
                events += text.count(b"\n") if source.name != STDOUT else text.count(b'{"type"')
                at += len(part)
                if not text:  # the NULs that fill up a live segment
                    break
    return Lag(size, events)


def _cursors(folder: RunFolder) -> dict[str, tuple[int, bool]]:
    """How far each source is in the store. By SQL alone: who only waits loads nothing that decodes steps."""
    try:
        db = schema.open_reader(folder.store)
        try:
            found = schema.rows(db, "SELECT name, cursor, done FROM sources")
        finally:
            db.close()
    except apsw.Error as error:
        way_out = "Rebuild it: mosaic rebuild RUN" if schema.is_damage(error) else "Try again."
        raise StoreError(f"cannot read {folder.store}: {error}. {way_out}") from error
    return {name: (cursor, bool(done)) for name, cursor, done in found}
