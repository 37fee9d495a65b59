"""Making a store anew from the journal, beside the one in use; then the new one takes the name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mosaic.runs.files import sync_folder
from mosaic.store.ingest import RunIngest, remove_store

if TYPE_CHECKING:
    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import StoreSummary

__all__ = ["rebuild"]


def rebuild(folder: RunFolder) -> StoreSummary:
    """Rebuild a run's store from its journal. Episodes keep their indexes; readers keep the old store until the end.

    Raises:
        StoreError: the run is being ingested by another process, or the disk refuses.
    """
    fresh = folder.store.with_name(f"{folder.store.name}.rebuild")
    remove_store(fresh)  # what an earlier, killed rebuild left
    with RunIngest(folder, seal=False, store=fresh) as ingest:
        while True:
            turn = ingest.turn()
            if not turn.more and not turn.advanced:
                break
        ingest.settle()
        summary = ingest.summary()
        ingest.close_store()
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        # SYNC: the old log goes before the new database gets the name: SQLite would replay it into the new one. Killed
        # in between, there is no store, which ingest makes again.
        remove_store(folder.store)
        fresh.replace(folder.store)
        sync_folder(folder.path)
    return summary
