"""Events about a step of an episode, as rows of a table that is indexed by episode and step.

A row has what the index needs (the episode's id as `prefix` and `number`, the step), the time, and the rest
of the event as JSON: the bytes behind `{"type":"decision"`. So storing an event is one encoding and reading
it is joining bytes; neither parses anything.

The id is kept and no episode's index: a decision is written before its step, and may come before anything
else is known of its episode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.errors import ProtocolError
from mosaic.protocol import codec, floats
from mosaic.protocol.codec import Unknown
from mosaic.protocol.events import Log
from mosaic.store.episode_rows import join_id, split_id
from mosaic.store.kinds import BY_STEP, SHARED_TABLE
from mosaic.store.lines import json_of
from mosaic.store.schema import int_to_sql, to_float, to_int, to_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import apsw

    from mosaic.store.kinds import Kind

__all__ = ["COLUMNS", "INSERT", "from_row", "make_table", "move_shared", "tables", "to_row"]

COLUMNS = "seq, prefix, number, step, t, data"
INSERT = "INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?)"

_NO_TIME = Log(text="").t  # the default itself: `omit_defaults` leaves out this object, not what equals it


def to_row(event: Any, seq: int, extra: bytes | None, name: Callable[[str], int]) -> tuple[Any, ...]:
    """The row of an event, in the order of `COLUMNS`. Uses the event up; `name` numbers texts."""
    episode_id, step, t = event.episode_id, event.step, event.t
    event.episode_id = event.step = event.seq = None
    event.t = _NO_TIME
    rest = json_of(event, extra)[len(_head(str(event.__struct_config__.tag))) :]
    prefix = number = None
    if episode_id is not None:
        text, number = split_id(episode_id)
        prefix = name(text)
    return seq, prefix, number, int_to_sql(step), to_sql(floats.from_json(t)), rest


def from_row(kind: str, row: tuple[Any, ...], text: Callable[[int], str]) -> bytes:
    """The JSON of the event behind a row; `text` is the inverse of `name`."""
    _, prefix, number, step, t, rest = row
    parts = [_head(kind)]
    if prefix is not None:
        parts.append(b',"episode_id":' + msgspec.json.encode(join_id(text(prefix), number)))
    if step is not None:
        parts.append(b',"step":%d' % (to_int(step) or 0))
    if t != 0.0:
        parts.append(b',"t":' + msgspec.json.encode(floats.to_json(to_float(t))))
    return b"".join([*parts, rest])


def tables(db: apsw.Connection) -> set[str]:
    """Which of these tables a store has: a table is made when its first row comes."""
    wanted = {kind.table for kind in BY_STEP.values()}
    return wanted & {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def make_table(db: apsw.Connection, table: str) -> None:
    """Make sure that the store has a table. Only the one writer does that."""
    db.execute(
        f"CREATE TABLE IF NOT EXISTS {table} (seq INTEGER PRIMARY KEY, prefix INTEGER, number INTEGER, "
        "step INTEGER, t REAL NOT NULL, data BLOB NOT NULL);"
        f"CREATE INDEX IF NOT EXISTS {table}_by_step ON {table} (prefix, number, step) "
        "WHERE prefix IS NOT NULL"
    ).fetchall()


def move_shared(db: apsw.Connection) -> None:
    """Move what an earlier version kept among the other events to the tables of this version's kinds."""
    for kind in BY_STEP.values():
        one = f"SELECT 1 FROM {SHARED_TABLE} WHERE kind = ? LIMIT 1"  # noqa: S608
        if db.execute(one, (kind.name,)).get is None:
            continue
        with db:
            make_table(db, kind.table)
            db.executemany(INSERT.format(table=kind.table), _rows_of_shared(db, kind))
            db.execute(
                f"DELETE FROM {SHARED_TABLE} WHERE kind = ? AND seq IN (SELECT seq FROM {kind.table})",  # noqa: S608
                (kind.name,),
            )


def _rows_of_shared(db: apsw.Connection, kind: Kind) -> Iterator[tuple[Any, ...]]:
    def name(text: str) -> int:
        db.execute("INSERT OR IGNORE INTO names (text) VALUES (?)", (text,))
        return int(db.execute("SELECT id FROM names WHERE text = ?", (text,)).get)

    every = f"SELECT seq, data FROM {SHARED_TABLE} WHERE kind = ?"  # noqa: S608
    for seq, data in db.execute(every, (kind.name,)):
        try:
            decoded = codec.decode_line(data)
        except ProtocolError:
            continue  # of a kind unknown then, and not an event of this kind now: it stays where it is
        if not isinstance(decoded.event, Unknown):
            yield to_row(decoded.event, seq, decoded.extra, name)


def _head(kind: str) -> bytes:
    return b'{"type":"%b"' % kind.encode()
