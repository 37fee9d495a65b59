"""A store's roll-up at a glance, for listings: loads neither numpy nor anything else that decodes steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import msgspec

from mosaic.errors import StoreError
from mosaic.store import schema
from mosaic.store.state import State

if TYPE_CHECKING:
    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import StoreSummary

__all__ = ["glance"]


def glance(folder: RunFolder) -> StoreSummary | None:
    """The roll-up of a run's store, or None when there is no store that can be read."""
    if not folder.store.exists():
        return None
    try:
        db = schema.open_reader(folder.store)
    except (StoreError, apsw.Error):
        return None
    try:
        saved = db.execute("SELECT data FROM state").get
        return (State() if saved is None else msgspec.msgpack.decode(saved, type=State)).summary()
    except (apsw.Error, msgspec.DecodeError):
        return None
    finally:
        db.close()
