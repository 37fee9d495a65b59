"""How a store's file is laid out, opened and brought up to date. It knows tables, not events.

One connection per database writes, and it alone checkpoints; every other one is read-only. A migration is a
plain function, run and recorded in a transaction of its own. Pages carry checksums where apsw brings the VFS
for them, so a flipped byte is an error and not a value.
"""

from __future__ import annotations

import math
import os
import struct
import time
from typing import TYPE_CHECKING, Any, Final

import apsw
import apsw.sqlite_extra

from mosaic.errors import StoreError
from mosaic.store import readonly
from mosaic.text import os_words
from mosaic_worker.common.opening import BadFileError, check_regular

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = [
    "DAMAGE",
    "VERSION",
    "int_to_sql",
    "is_damage",
    "open_reader",
    "open_writer",
    "rows",
    "to_float",
    "to_int",
    "to_sql",
]

_CHECKSUM_VFS = "cksmvfs"
_PAGE_BYTES = 2048  # chunks fill smaller pages better, and a short run has many tables that are nearly empty
_CHECKSUM_BYTES = 8  # what the VFS needs at the end of each page
_BUSY_MILLISECONDS = 2_000
_WAL_PAGES = 2_000
_BEING_MADE_TRIES, _BEING_MADE_PAUSE_SECS = 50, 0.02
_MISREAD_TRIES = 1
_CHECK_BELOW_BYTES: Final = 64 << 20  # larger files are checked as they are read

DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.IOError)
"""What apsw raises when a file is not, or no longer, a sound database."""


def is_damage(error: apsw.Error) -> bool:
    """Whether an error means that the file is bad, rather than the disk full or the lock taken."""
    if isinstance(error, apsw.IOError):
        return getattr(error, "extendedresult", None) in (
            apsw.SQLITE_IOERR_DATA,
            apsw.SQLITE_IOERR_SHORT_READ,
            apsw.SQLITE_IOERR_CORRUPTFS,
        )
    return isinstance(error, (apsw.CorruptError, apsw.NotADBError))


def to_sql(value: float) -> float | bytes:
    """A float as SQLite keeps it exactly: NaN would become NULL, -0.0 would become 0: these go as bytes."""
    if value != value or (value == 0.0 and math.copysign(1.0, value) < 0):  # noqa: PLR0124  (the NaN test)
        return struct.pack("<d", value)
    return value


def to_float(value: float | bytes) -> float:
    """The float behind `to_sql`."""
    return float(struct.unpack("<d", value)[0]) if isinstance(value, bytes) else float(value)


def int_to_sql(value: int | None) -> int | bytes | None:
    """An integer of any size: SQLite's go to 64 bits, longer ones are kept as digits."""
    return value if value is None or -(1 << 63) <= value < 1 << 63 else b"%d" % value


def to_int(value: int | bytes | None) -> int | None:
    """The integer behind `int_to_sql`."""
    return int(value) if isinstance(value, bytes) else value


def rows(db: apsw.Connection, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """All rows of a query, read before anything else is asked."""
    return db.execute(query, values).fetchall()


def _first(db: apsw.Connection) -> None:
    """The layout of version 1.

    Episodes have no index but their own: `blocks` says when one of a block of neighbours last changed, and
    `spans` which numbers of an id's prefix lie in it. An index of rows would cost more than the short
    episodes do. `episodes.pack` is the chunk that holds all steps of a short, ended episode together with its
    neighbours; chunks with an `episode` belong to that one alone, `live` ones until they are merged.
    """
    db.execute(
        """
        CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), data BLOB NOT NULL);
        CREATE TABLE sources (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, cursor INTEGER NOT NULL,
            done INTEGER NOT NULL);
        CREATE TABLE producers (name TEXT PRIMARY KEY, next_seq INTEGER) WITHOUT ROWID;
        CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
        CREATE TABLE envs (id INTEGER PRIMARY KEY, env_id TEXT, data BLOB NOT NULL UNIQUE);
        CREATE TABLE env_keys (
            producer TEXT, env_key TEXT, env INTEGER, PRIMARY KEY (producer, env_key)) WITHOUT ROWID;
        CREATE TABLE episodes (
            idx INTEGER PRIMARY KEY, prefix INTEGER NOT NULL, number INTEGER NOT NULL, seq INTEGER NOT NULL,
            flags INTEGER NOT NULL, steps INTEGER NOT NULL, return_ REAL NOT NULL, t_start REAL,
            t_end INTEGER, env INTEGER, env_index INTEGER, pack INTEGER, rest BLOB);
        CREATE TABLE blocks (block INTEGER PRIMARY KEY, seq INTEGER NOT NULL);
        CREATE TABLE spans (
            prefix INTEGER, block INTEGER, low INTEGER NOT NULL, high INTEGER NOT NULL,
            PRIMARY KEY (prefix, block)) WITHOUT ROWID;
        CREATE TABLE resets (episode INTEGER PRIMARY KEY, data BLOB NOT NULL);
        CREATE TABLE chunks (
            id INTEGER PRIMARY KEY, episode INTEGER, live INTEGER NOT NULL, seq_lo INTEGER NOT NULL,
            seq_hi INTEGER NOT NULL, data BLOB NOT NULL);
        CREATE INDEX chunks_by_seq ON chunks (seq_hi, seq_lo);
        CREATE INDEX chunks_by_episode ON chunks (episode, live) WHERE episode IS NOT NULL;
        CREATE TABLE curve (block INTEGER PRIMARY KEY, data BLOB NOT NULL);
        CREATE TABLE metric_names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, canonical TEXT);
        CREATE TABLE metrics (
            seq INTEGER PRIMARY KEY, name INTEGER NOT NULL, value REAL NOT NULL, step INTEGER, t REAL NOT
            NULL, source INTEGER);
        CREATE INDEX metrics_by_name ON metrics (name);
        CREATE TABLE checkpoints (
            seq INTEGER PRIMARY KEY, path TEXT NOT NULL, sha256 TEXT, bytes INTEGER, step INTEGER, kind TEXT,
            t REAL NOT NULL, meta BLOB);
        CREATE TABLE events (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, data BLOB NOT NULL);
        CREATE INDEX events_by_kind ON events (kind);
        CREATE TABLE extras (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, data BLOB NOT NULL);
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
            reason TEXT NOT NULL, data BLOB NOT NULL);
        CREATE TABLE holes (
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, offset INTEGER NOT NULL, bytes INTEGER NOT NULL,
            missing INTEGER);
        """
    ).fetchall()


_MIGRATIONS: tuple[Callable[[apsw.Connection], None], ...] = (_first,)
VERSION = len(_MIGRATIONS)


def _vfs() -> str:
    """The VFS that checks pages, registered once; SQLite's own where apsw was built without it."""
    if _CHECKSUM_VFS not in apsw.vfs_names() and apsw.sqlite_extra.has("cksumvfs"):
        loader = apsw.Connection(":memory:")
        apsw.sqlite_extra.load(loader, "cksumvfs")
        loader.close()
    return _CHECKSUM_VFS if _CHECKSUM_VFS in apsw.vfs_names() else ""


def open_writer(path: Path, *, check: bool = True) -> apsw.Connection:
    """The one write connection of a store: created, checked and migrated.

    Raises:
        StoreError: the store was made by a later version.
        BadFileError: something else than a regular file lies in its place, or in that of its logs.
        apsw.Error: the file is damaged (see `is_damage`) or cannot be written.
    """
    for suffix in ("", "-wal", "-shm", "-journal"):
        check_regular(f"{path}{suffix}")
    fresh = not path.exists()
    db = apsw.Connection(str(path), vfs=_vfs() or None)
    try:
        db.set_busy_timeout(_BUSY_MILLISECONDS)
        if fresh:
            path.chmod(0o600)
            db.pragma("page_size", _PAGE_BYTES)
            if _vfs():
                db.reserve_bytes(reserve=_CHECKSUM_BYTES)
        db.pragma("journal_mode", "wal")
        db.pragma("synchronous", "normal")
        db.pragma("foreign_keys", False)
        db.pragma("temp_store", "memory")
        db.wal_autocheckpoint(_WAL_PAGES)
        if check and not fresh and path.stat().st_size <= _CHECK_BELOW_BYTES:
            _check(db, path)
        _migrate(db, path)
    except BaseException:
        db.close()
        raise
    return db


def open_reader(path: Path) -> apsw.Connection:
    """A read-only connection.

    Raises:
        StoreError: there is no store, or it was made by another version.
        apsw.Error: the file is damaged (see `is_damage`).
    """
    if not os.path.lexists(path):
        raise StoreError(
            f"there is no store at {path}. Start the daemon (mosaic daemon start), or: mosaic rebuild RUN"
        )
    for attempt in range(_BEING_MADE_TRIES):
        try:
            db = readonly.connect(path, vfs=_vfs() or None)
        except BadFileError as error:
            raise StoreError(
                f"{error.filename}: {error.strerror}. Move it away, then: mosaic rebuild RUN"
            ) from error
        except OSError as error:
            raise StoreError(f"cannot read {path}: {os_words(error)}") from error
        try:
            db.set_busy_timeout(_BUSY_MILLISECONDS)
            version = db.pragma("user_version")
        except apsw.IOError:
            # SYNC: a connection made while the file was still empty keeps an empty file's page size and takes
            # the first page, once it is written, for damaged. The next connection reads it right.
            db.close()
            if attempt >= _MISREAD_TRIES:
                raise
            continue
        except BaseException:
            db.close()
            raise
        if version == VERSION:
            return db
        db.close()
        # SYNC: the writer creates the file before it commits the layout: until then the file says layout 0.
        if version != 0 or attempt == _BEING_MADE_TRIES - 1:
            break
        time.sleep(_BEING_MADE_PAUSE_SECS)
    raise StoreError(f"{path} has layout {version}, this version reads {VERSION}. Run: mosaic rebuild RUN")


def _check(db: apsw.Connection, path: Path) -> None:
    """Read every page once."""
    if path.stat().st_size % int(db.pragma("page_size")):
        raise apsw.CorruptError("it was cut off")  # SQLite would fill up the last page with zeros
    verdict = db.pragma("quick_check", 1)
    if verdict != "ok":
        raise apsw.CorruptError(str(verdict))


def _migrate(db: apsw.Connection, path: Path) -> None:
    version = int(db.pragma("user_version") or 0)
    if version > VERSION:
        raise StoreError(
            f"{path} has layout {version}, this version writes {VERSION}. Update MOSAIC, or: mosaic rebuild"
        )
    for number, migration in enumerate(_MIGRATIONS[version:], version + 1):
        with db:
            migration(db)
            db.pragma("user_version", number)
