"""A store's roll-up at a glance, for listings: loads neither numpy nor anything else that decodes steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import apsw
import msgspec

from mosaic.errors import StoreError
from mosaic.store import schema
from mosaic.store.recent import read_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import StoreSummary

__all__ = ["glance", "look"]

T = TypeVar("T")


def glance(folder: RunFolder) -> StoreSummary | None:
    """The roll-up of a run's store, or None when there is no store that can be read."""
    return look(folder, _summary)


def look(folder: RunFolder, question: Callable[[apsw.Connection], T]) -> T | None:
    """What a question to a run's store is answered, or None when there is no store that can be read."""
    if not folder.store.exists():
        return None
    try:
        db = schema.open_reader(folder.store)
    except (StoreError, apsw.Error):
        return None
    try:
        return question(db)
    except (apsw.Error, msgspec.DecodeError):
        return None
    finally:
        db.close()


def _summary(db: apsw.Connection) -> StoreSummary:
    return read_state(db).summary()
