"""Which checkpoints of a run were let go by rule, and which were written over. Pure: rows in, rows out.

The rule itself is `mosaic_worker.common.retention`: the driver that removes a file and the listing that says
why it is gone go by the same lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic_worker.common.retention import Entry, superseded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.protocol.rows import CheckpointRow

__all__ = ["let_go", "written_over"]


def let_go(rows: Sequence[CheckpointRow]) -> set[int]:
    """The `seq` of those that the rule lets go: only where a driver said that it goes by it (`keep_last`)."""
    entries: dict[Entry, int] = {}
    keep_last = 1
    for row in rows:
        kept, reason = row.meta.get("keep_last"), row.meta.get("reason")
        if isinstance(kept, int) and isinstance(reason, str):
            entries[Entry(len(entries), reason)] = row.seq
            keep_last = max(1, kept)
    return {entries[entry] for entry in superseded(list(entries), keep_last=keep_last)}


def written_over(rows: Sequence[CheckpointRow]) -> set[int]:
    """The `seq` of those whose file a later one of the same name has replaced."""
    newest = {row.path: row.seq for row in rows}
    return {row.seq for row in rows if newest[row.path] != row.seq}
