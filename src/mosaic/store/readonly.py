"""Opening a database for reading, also where nothing can be written: a read-only disk, for instance.

SQLite reads a database with a log only where it can write an index of that log beside it. Where it cannot, a
database without a log has no writer, so it is opened as one that does not change; one with a log is read from
a copy in a temporary folder, which is gone once it is open.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote

import apsw

from mosaic_worker.common.opening import check_regular, open_regular

__all__ = ["connect"]

_COPY_TRIES = 5


def connect(path: Path, *, vfs: str | None = None) -> apsw.Connection:
    """A connection that only reads.

    Raises:
        BadFileError: something else than a regular file lies in the place of the database or its logs.
        OSError: it cannot be read.
        apsw.Error: SQLite refuses it.
    """
    # SQLite opens its files itself: it would follow a link, and wait for a named pipe for ever.
    for suffix in ("", "-wal", "-shm", "-journal"):
        check_regular(f"{path}{suffix}")
    if os.access(path.parent, os.W_OK):
        return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs)
    if _size(Path(f"{path}-wal")):
        return _from_copy(path, vfs)
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"file:{quote(str(path))}?immutable=1", flags=flags, vfs=vfs)


def _from_copy(path: Path, vfs: str | None) -> apsw.Connection:
    with tempfile.TemporaryDirectory(prefix="mosaic-") as inside:
        copy = Path(inside) / path.name
        for _ in range(_COPY_TRIES):
            before = _stamps(path)
            for suffix in ("", "-wal"):
                _copy(f"{path}{suffix}", f"{copy}{suffix}")
            if _stamps(path) == before:
                break  # nobody wrote meanwhile
        db = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs)
        try:
            db.pragma("user_version")  # opens the log too: from here on no name is needed
        except BaseException:
            db.close()
            raise
        return db


def _copy(source: str, target: str) -> None:
    written = open_regular(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(written, "wb") as out, os.fdopen(open_regular(source), "rb") as file:
        shutil.copyfileobj(file, out)


def _stamps(path: Path) -> list[tuple[int, int]]:
    infos = [os.lstat(f"{path}{suffix}") for suffix in ("", "-wal")]
    return [(info.st_size, info.st_mtime_ns) for info in infos]


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0
