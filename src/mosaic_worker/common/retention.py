"""Which checkpoints of a training are kept. Pure: what there is in, what goes out.

Kept are the last N saved on cadence, the newest best, and every final and stop one.
"""

from __future__ import annotations

from typing import List, NamedTuple, Sequence, Set

__all__ = ["Entry", "superseded"]


class Entry(NamedTuple):
    """One checkpoint: its place in the order of saving, and why it was saved."""

    order: int
    reason: str


def superseded(entries: Sequence[Entry], *, keep_last: int) -> Set[Entry]:
    """Those that the rule lets go. Never the newest of any reason, whatever `keep_last` says."""
    gone: Set[Entry] = set()
    for reason, kept in (("cadence", max(1, keep_last)), ("best", 1)):
        found: List[Entry] = sorted(entry for entry in entries if entry.reason == reason)
        gone.update(found[:-kept])
    return gone
