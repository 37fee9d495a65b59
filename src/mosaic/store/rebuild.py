"""Making a store anew from the journal, beside the one in use; then the new one takes the name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mosaic.runs.files import sync_folder
from mosaic.store.ingest import RunIngest
from mosaic.store.quotas import USUAL, Quotas
from mosaic.store.storefiles import rebuild_path, remove_store
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import StoreSummary

__all__ = ["Rebuild", "rebuild"]


class Rebuild:
    """A rebuild in bounded turns. Episodes keep their indexes; readers keep the old store until the end.

    Raises:
        StoreError: the run is being ingested by another process, or the disk refuses.
    """

    def __init__(self, folder: RunFolder, *, turn_bytes: int = 4 << 20, quotas: Quotas = USUAL) -> None:
        self._folder = folder
        self._fresh = rebuild_path(folder)
        self._ingest = RunIngest(folder, seal=False, turn_bytes=turn_bytes, store=self._fresh, quotas=quotas)

    def close(self) -> None:
        """Let go of the run; an unfinished rebuild leaves the old store as it was. Twice is fine."""
        self._ingest.close_store()
        remove_store(self._fresh)
        self._ingest.close()

    def turn(self) -> StoreSummary | None:
        """Do a bounded piece of it; the new store's summary once it has the name."""
        turn = self._ingest.turn()
        if turn.more or turn.advanced:
            return None
        self._ingest.settle()
        self._ingest.write_quarantine()
        summary = self._ingest.summary()
        self._ingest.close_store()
        fd = open_regular(self._fresh)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
        # SYNC: the old log goes before the new database gets the name: SQLite would replay it into the new
        # one. Killed in between, there is no store, which ingest makes again.
        remove_store(self._folder.store)
        self._fresh.replace(self._folder.store)
        sync_folder(self._folder.path)
        return summary


def rebuild(folder: RunFolder) -> StoreSummary:
    """Rebuild a run's store from its journal, at once.

    Raises:
        StoreError: the run is being ingested by another process, or the disk refuses.
    """
    work = Rebuild(folder)
    try:
        while True:
            summary = work.turn()
            if summary is not None:
                return summary
    finally:
        work.close()
