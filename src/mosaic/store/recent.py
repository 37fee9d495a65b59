"""The latest episodes that count, read from a store's rows instead of its roll-up. Reads; changes nothing.

Needed for stores of version 0.1, whose roll-up has other numbers, and when the roll-up has lost its place
(`State.saw_end`). Blocks of neighbours are looked at, those that changed last first, until no older one can
matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mosaic.protocol.counting import counts, is_evaluation
from mosaic.store.episode_rows import BLOCK, ENDED, MARK_SHIFT
from mosaic.store.schema import rows, to_float
from mosaic.store.state import RECENT, Recent, State

if TYPE_CHECKING:
    import apsw

    from mosaic.store.state import Ended

__all__ = ["read_recent", "read_state"]


def read_state(db: apsw.Connection) -> State:
    """A store's roll-up, whole."""
    saved = db.execute("SELECT data FROM state").get
    state = State() if saved is None else msgspec.msgpack.decode(saved, type=State)
    if state.recent_returns is None:
        state.recent_returns = read_recent(db, state)
    return state


def read_recent(db: apsw.Connection, state: State) -> Recent:
    """What the roll-up should say of the latest episodes."""
    found = Recent()
    for block, last in rows(db, "SELECT block, seq FROM blocks ORDER BY seq DESC"):
        if _full(found.trained, last, RECENT) and _full(found.evaluated, last, state.eval_episodes):
            break
        query = "SELECT seq, idx, return_, steps, flags FROM episodes WHERE idx BETWEEN ? AND ?"
        for seq, index, return_, steps, flags in rows(db, query, block * BLOCK, block * BLOCK + BLOCK - 1):
            mark = flags >> MARK_SHIFT
            if flags & ENDED and counts(steps, mark):
                found.put((seq, index, to_float(return_)), evaluated=is_evaluation(mark))
    return found


def _full(pool: list[Ended], last: int, most: int) -> bool:
    """Whether nothing that changed at `last` or before can belong to a pool."""
    return len(pool) >= min(RECENT, most) and (not pool or pool[0][0] > last)
