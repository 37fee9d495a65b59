"""Finding episodes in a store, by index or id, and making readers' rows of them. Reads; changes nothing.

Keeps the texts and environments that rows refer to by number, for as long as the store is the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mosaic.errors import UsageError
from mosaic.protocol.counting import ROLES, UNKNOWN, code_of
from mosaic.store import eventlog
from mosaic.store.episode_rows import BY_ID, CHANGED, COLUMNS, EVERY, split_id
from mosaic.store.episodes import Live, row_of
from mosaic.store.schema import rows

if TYPE_CHECKING:
    import apsw

    from mosaic.protocol.rows import EpisodeRow

__all__ = ["EpisodeLookup"]

_ALL = 1 << 62
_ANY_ROLE = -1


class EpisodeLookup:
    """Looks up episodes through whichever connection it is handed; `clear` when that is another store's."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._envs: dict[int, str | None] = {}

    def clear(self) -> None:
        """Forget what was read: numbers mean other things in another store."""
        self._names.clear()
        self._envs.clear()

    def listed(
        self, db: apsw.Connection, *, since_seq: int, first_index: int, limit: int | None, role: str | None
    ) -> list[EpisodeRow]:
        """Episodes by index, from `first_index` on; with `since_seq`, only those changed after it.

        Raises:
            UsageError: there is no such role.
        """
        if role not in (None, UNKNOWN, *ROLES):
            raise UsageError(f"there is no role {role!r}. An episode's role is one of: train, eval, unknown.")
        wanted = _ANY_ROLE if role is None else code_of(role)
        bound = (since_seq, first_index, _ALL if limit is None else limit, wanted)
        return [self.row(db, row) for row in rows(db, CHANGED if since_seq > 0 else EVERY, *bound)]

    def find(self, db: apsw.Connection, key: int | str) -> tuple[Any, ...]:
        """The columns of one episode, by index or id. A number that is not an index may be an id.

        Raises:
            UsageError: there is none; says which there are.
        """
        row = self._look_up(db, key)
        if row is None:
            raise _no_such(db, key)
        return row

    def name_of(self, db: apsw.Connection, key: int | str) -> tuple[int, str, int]:
        """An episode's id in parts, as tables by step keep it. Its events may be all there is of it.

        Raises:
            UsageError: nothing is known of it.
        """
        row = self._look_up(db, key)
        if row is not None:
            return row[1], self.text(db, row[1]), row[2]
        parts = _parts(db, str(key))
        if not eventlog.select(db, eventlog.Which(episode=parts, limit=1), lambda name: self.text(db, name)):
            raise _no_such(db, key)
        return parts

    def row(self, db: apsw.Connection, row: tuple[Any, ...]) -> EpisodeRow:
        """What readers get of an episode's columns."""
        env = row[9]
        if env is not None and env not in self._envs:
            self._envs[env] = db.execute("SELECT env_id FROM envs WHERE id = ?", (env,)).get
        live = Live.from_row(row, lambda name: self.text(db, name))
        return row_of(live, None if env is None else self._envs[env])

    def text(self, db: apsw.Connection, name: int) -> str:
        """The text behind a number."""
        if name not in self._names:
            self._names[name] = str(db.execute("SELECT text FROM names WHERE id = ?", (name,)).get)
        return self._names[name]

    def _look_up(self, db: apsw.Connection, key: int | str) -> tuple[Any, ...] | None:
        row = None
        if isinstance(key, int) and 0 <= key < 1 << 63:
            row = db.execute(f"SELECT {COLUMNS} FROM episodes WHERE idx = ?", (key,)).get  # noqa: S608
        if row is None:
            prefix, _, number = _parts(db, str(key))
            row = db.execute(BY_ID, (prefix, number)).get
        return None if row is None else tuple(row)


def _parts(db: apsw.Connection, episode_id: str) -> tuple[int, str, int]:
    """An id in the parts it is kept in: its prefix's number (-1: no row has it), the prefix, its own."""
    text, number = split_id(episode_id)
    known = db.execute("SELECT id FROM names WHERE text = ?", (text,)).get
    return -1 if known is None else int(known), text, number


def _no_such(db: apsw.Connection, key: int | str) -> UsageError:
    low, high = db.execute("SELECT min(idx), max(idx) FROM episodes").get
    there = "This run has no episodes yet." if low is None else f"This run has episodes {low} to {high}."
    return UsageError(f"there is no episode {key!r}. {there}")
