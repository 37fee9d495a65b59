"""What a run was told: its `config` events in one. Read-only; loads nothing that decodes steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.protocol import codec
from mosaic.protocol.configs import merge
from mosaic.store.glance import look
from mosaic.store.kinds import SHARED_TABLE
from mosaic.store.schema import rows

if TYPE_CHECKING:
    import apsw

    from mosaic.paths import RunFolder
    from mosaic.protocol.events import Config

__all__ = ["glance_config", "read_config"]


def glance_config(folder: RunFolder) -> Config | None:
    """The config of a run, or None when there is no store that can be read."""
    return look(folder, read_config)


def read_config(db: apsw.Connection) -> Config:
    """The config in an open store: later events add to earlier ones."""
    told = rows(db, f"SELECT data FROM {SHARED_TABLE} WHERE kind = 'config' ORDER BY seq")  # noqa: S608
    return merge(codec.decode_line(data).event for (data,) in told)
