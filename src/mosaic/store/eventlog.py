"""Reading the events that `mosaic events` lists, from whichever table keeps them, in the order of storing.

Takes an open connection inside a transaction; opens and writes nothing. One episode's events of a kind that
is found by step cost what that episode has, however many the run has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mosaic.errors import ProtocolError, UsageError
from mosaic.protocol import codec, floats
from mosaic.protocol.codec import Unknown
from mosaic.store import bystep
from mosaic.store.episodes import join_id
from mosaic.store.kinds import BY_STEP, KINDS, SHARED_TABLE
from mosaic.store.schema import int_to_sql, rows
from mosaic.store.values import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import apsw

    from mosaic.protocol.events import Event
    from mosaic.store.kinds import Kind

__all__ = ["Stored", "Which", "select", "typed"]

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
    there = bystep.tables(db)
    own = [kind for kind in BY_STEP.values() if kind.table in there and _wanted(which, kind.name)]
    found = _shared(db, which)
    for kind in own:
        found += _by_step(db, which, kind, text)
    found.sort()
    limit = len(found) if which.limit is None else which.limit
    return found[max(0, len(found) - limit) :] if which.newest else found[:limit]


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


def _wanted(which: Which, name: str) -> bool:
    return which.kinds is None or name in which.kinds


def _by_step(db: apsw.Connection, which: Which, kind: Kind, text: Callable[[int], str]) -> list[Stored]:
    where, bound = "seq > ?", list[Any]([which.since_seq])
    index = "NOT INDEXED"
    if which.episode is not None:
        # Named, because SQLite might walk the whole table to get the order for nothing.
        index = f"INDEXED BY {kind.table}_by_step"
        where = "prefix = ? AND number = ? AND seq > ?"
        bound = [which.episode[0], which.episode[2], which.since_seq]
    if which.step is not None:
        where, bound = f"{where} AND step = ?", [*bound, int_to_sql(which.step)]
    query = f"SELECT {bystep.COLUMNS} FROM {kind.table} {index} WHERE {where} {_order(which)}"  # noqa: S608
    found = rows(db, query, *bound, _limit(which))
    return [Stored(row[0], kind.name, bystep.from_row(kind.name, row, text)) for row in found]


def _shared(db: apsw.Connection, which: Which) -> list[Stored]:
    """Those in the shared table: kinds without their own, unknown ones, and what earlier versions left."""
    by_hand = which.episode is not None or which.step is not None
    chosen = sorted(BY_STEP if by_hand and which.kinds is None else which.kinds or ())
    among = f"AND kind IN ({', '.join('?' * len(chosen))})" if chosen else ""
    query = f"SELECT seq, kind, data FROM {SHARED_TABLE} WHERE seq > ? {among} {_order(which)}"  # noqa: S608
    limit = _ALL if by_hand else _limit(which)
    found = [Stored(*row) for row in rows(db, query, which.since_seq, *chosen, limit)]
    return [event for event in found if _matches(event, which)] if by_hand else found


def _matches(event: Stored, which: Which) -> bool:
    """Whether an event of the shared table, where nothing is indexed, is about that episode and step."""
    fields: dict[str, Any] = parse(event.data)
    if which.episode is not None and fields.get("episode_id") != join_id(*which.episode[1:]):
        return False
    return which.step is None or fields.get("step") == which.step


def _limit(which: Which) -> int:
    return _ALL if which.limit is None else min(which.limit, _ALL)


def _order(which: Which) -> str:
    return f"ORDER BY seq {'DESC' if which.newest else 'ASC'} LIMIT ?"
