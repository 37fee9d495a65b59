"""Reading the events that `mosaic events` lists, from whichever table keeps them, in the order of storing.

Takes an open connection inside a transaction; opens and writes nothing. One episode's events of a kind that
is found by step cost what that episode has, however many the run has.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from mosaic.errors import ProtocolError, UsageError
from mosaic.protocol import codec, floats
from mosaic.protocol.codec import Unknown
from mosaic.store import bystep
from mosaic.store.episode_rows import join_id
from mosaic.store.kinds import BY_STEP, KINDS, SHARED_TABLE
from mosaic.store.schema import int_to_sql, rows
from mosaic.store.values import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import apsw

    from mosaic.protocol.events import Event
    from mosaic.store.kinds import Kind

__all__ = ["Stored", "Which", "count", "select", "typed"]

_ALL = 1 << 62


class Stored(NamedTuple):
    """One event: its number in the store, its kind, and its JSON."""

    seq: int
    kind: str
    data: bytes


class Which(NamedTuple):
    """Which events. `episode` is an id as `(prefix's number, prefix, number)`; `newest`: the last `limit`."""

    kinds: Collection[str] | None = None
    episode: tuple[int, str, int] | None = None
    step: int | None = None
    since_seq: int = 0
    limit: int | None = None
    newest: bool = False


def select(db: apsw.Connection, which: Which, text: Callable[[int], str]) -> list[Stored]:
    """The events in the order they were stored; `text` gives interned texts.

    Raises:
        UsageError: a kind that is read in another way, or one that belongs to no episode was asked for by
            episode.
    """
    _check(which)
    found = _shared(db, which)
    for kind in _own(db, which):
        found += _by_step(db, which, kind, text)
    found.sort()
    limit = len(found) if which.limit is None else which.limit
    return found[max(0, len(found) - limit) :] if which.newest else found[:limit]


def count(db: apsw.Connection, which: Which) -> int:
    """How many there are, whatever the limit. Reads no event, but by hand where `_by_hand` says so."""
    _check(which)
    found = len(_shared(db, which)) if _by_hand(which) else _counted(db, *_of_shared(which))
    return found + sum(_counted(db, *_of_kind(which, kind)) for kind in _own(db, which))


def _counted(db: apsw.Connection, source: str, bound: list[Any]) -> int:
    return int(db.execute(f"SELECT count(*) {source}", bound).get)


def typed(stored: Stored) -> Event | Unknown:
    """The event as its struct: `seq` is its number in the store, floats are floats.

    A row of another version that is not an event of its kind by the rules of this one is `Unknown`.
    """
    try:
        event = codec.decode_line(stored.data).event
    except ProtocolError:
        event = Unknown(stored.kind, stored.data)
    if isinstance(event, Unknown):
        return event
    event.seq = stored.seq
    for name in KINDS[stored.kind].floats:
        value = getattr(event, name)
        if isinstance(value, str):
            setattr(event, name, floats.from_json(value))
    return event


def _check(which: Which) -> None:
    for name in which.kinds or ():
        kind = KINDS.get(name)
        if kind is not None and kind.read_with:
            raise UsageError(f"{name} events are listed by another command: {kind.read_with}")
        if which.episode is not None and name not in BY_STEP:
            raise UsageError(f"{name} events belong to no episode. Those that do: {', '.join(BY_STEP)}.")


def _own(db: apsw.Connection, which: Which) -> list[Kind]:
    """The kinds to look for in tables of their own."""
    there = bystep.tables(db)
    wanted = BY_STEP if which.kinds is None else which.kinds
    return [kind for kind in BY_STEP.values() if kind.table in there and kind.name in wanted]


def _by_step(db: apsw.Connection, which: Which, kind: Kind, text: Callable[[int], str]) -> list[Stored]:
    source, bound = _of_kind(which, kind)
    found = rows(db, f"SELECT {bystep.COLUMNS} {source} {_order(which)}", *bound, _limit(which))
    return [Stored(row[0], kind.name, bystep.from_row(kind.name, row, text)) for row in found]


def _of_kind(which: Which, kind: Kind) -> tuple[str, list[Any]]:
    """The part of a query that chooses rows of a table by step, and what is bound there."""
    # Named, because SQLite might walk the whole table to get the order for nothing.
    index = "NOT INDEXED" if which.episode is None else f"INDEXED BY {kind.table}_by_step"
    where, bound = ["seq > ?"], list[Any]([which.since_seq])
    if which.episode is not None:
        where += ["prefix = ?", "number = ?"]
        bound += [which.episode[0], which.episode[2]]
    if which.step is not None:
        where.append("step = ?")
        bound.append(int_to_sql(which.step))
    return f"FROM {kind.table} {index} WHERE {' AND '.join(where)}", bound


def _shared(db: apsw.Connection, which: Which) -> list[Stored]:
    """Those in the shared table: kinds without their own, unknown ones, and what earlier versions left."""
    source, bound = _of_shared(which)
    query = f"SELECT seq, kind, data {source} {_order(which)}"
    if not _by_hand(which):
        return [Stored(*row) for row in rows(db, query, *bound, _limit(which))]
    # One by one: what does not match never lies in memory beside the others.
    every = (Stored(*row) for row in db.execute(query, [*bound, _ALL]))
    return list(islice((event for event in every if _matches(event, which)), _limit(which)))


def _of_shared(which: Which) -> tuple[str, list[Any]]:
    chosen = sorted(BY_STEP if _by_hand(which) and which.kinds is None else which.kinds or ())
    among = f"AND kind IN ({', '.join('?' * len(chosen))})" if chosen else ""
    return f"FROM {SHARED_TABLE} WHERE seq > ? {among}", [which.since_seq, *chosen]


def _by_hand(which: Which) -> bool:
    """Whether rows of the shared table, where nothing is indexed, must be looked into."""
    return which.episode is not None or which.step is not None


def _matches(event: Stored, which: Which) -> bool:
    """Whether an event of the shared table is about that episode and step."""
    fields: dict[str, Any] = parse(event.data)
    if which.episode is not None and fields.get("episode_id") != join_id(*which.episode[1:]):
        return False
    return which.step is None or fields.get("step") == which.step


def _limit(which: Which) -> int:
    return _ALL if which.limit is None else min(which.limit, _ALL)


def _order(which: Which) -> str:
    return f"ORDER BY seq {'DESC' if which.newest else 'ASC'} LIMIT ?"
