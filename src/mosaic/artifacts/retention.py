"""Which checkpoints of a run were let go by rule, renamed, or written over. Pure: rows in, rows out.

The rule itself is `mosaic_worker.common.retention`: the driver that removes a file and the listing that says
why it is gone go by the same lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic_worker.common.retention import Entry, superseded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.protocol.rows import CheckpointRow

__all__ = ["let_go", "repeated", "replaced"]


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


def repeated(rows: Sequence[CheckpointRow]) -> set[int]:
    """The `seq` of those that were listed again: the same file with the same bytes. The last one says most.

    A hook sees a save, and then the script lists what it saved by itself.
    """
    last = {(row.path, row.sha256): row.seq for row in rows}
    return {row.seq for row in rows} - set(last.values())


def replaced(rows: Sequence[CheckpointRow]) -> dict[int, str]:
    """The `seq` of those that are not there any more under their name, and why, in a few words.

    Either a later one of the same name has taken the file's place, or the file was renamed and listed again.
    """
    standing: dict[str, int] = {}
    found: dict[int, str] = {}
    for row in rows:
        before = row.meta.get("renamed_from")
        if isinstance(before, str) and before in standing:
            found[standing.pop(before)] = f"renamed: it is {row.path} now"
        if row.path in standing:
            found[standing[row.path]] = "a later checkpoint has taken its file"
        standing[row.path] = row.seq
    return found
