"""The episodes of one environment before another: which was seeded last, how many steps they have.

Walks rows from the newest back and stops at the first that will do; decodes no chunk and no reset event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mosaic.store.episode_rows import COLUMNS
from mosaic.store.episodes import Live

if TYPE_CHECKING:
    import apsw

__all__ = ["last_seeded", "steps_between"]

# The ids of one environment begin with `<key>.`, and "/" is the character after ".". CROSS JOIN keeps SQLite
# on the order of the index: it would otherwise collect every name of a run before it looks at one episode.
_OF_ENVIRONMENT = (
    "CROSS JOIN names ON names.id = prefix WHERE names.text >= ?1 || '.' AND names.text < ?1 || '/'"
)
_CANDIDATES = (
    f"SELECT {COLUMNS} FROM episodes {_OF_ENVIRONMENT} AND idx >= ?2 AND idx < ?3 "  # noqa: S608
    "AND rest IS NOT NULL ORDER BY idx DESC"
)
_STEPS = f"SELECT sum(steps) FROM episodes {_OF_ENVIRONMENT} AND idx >= ?2 AND idx < ?3"  # noqa: S608


def last_seeded(db: apsw.Connection, key: str, low: int, high: int) -> tuple[Any, ...] | None:
    """The last row of an environment that has a seed, with `low <= index < high`.

    A row without `rest` has none: that is where a seed is kept.
    """
    cursor = db.execute(_CANDIDATES, (key, low, high))
    try:
        for row in cursor:
            if Live.from_row(row, lambda _: "").seed is not None:
                return tuple(row)
    finally:
        cursor.close()
    return None


def steps_between(db: apsw.Connection, key: str, low: int, high: int) -> int:
    """How many steps the episodes of an environment have, with `low <= index < high`."""
    return int(db.execute(_STEPS, (key, low, high)).get or 0)
