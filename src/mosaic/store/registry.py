"""The list of runs: a cache of rows beside the run folders. Disposable: the folders are the truth.

The daemon alone writes it; anybody reads it, without a daemon and without waiting for one. Refuses to be
repaired: a registry that is missing, damaged or of another format is replaced by an empty one, and the daemon
fills it from the manifests.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import apsw
import msgspec

from mosaic.errors import StoreError
from mosaic.protocol.runs import RunRow
from mosaic.store import readonly
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mosaic.paths import DataRoot

__all__ = ["Entry", "Registry", "read_entries", "read_runs"]

_FORMAT = 1
_encoder = msgspec.msgpack.Encoder()  # not JSON: a return may be NaN
_decoder = msgspec.msgpack.Decoder(RunRow)


class Entry(NamedTuple):
    """A row, and whether it is final: the run ended and all of it is in its store."""

    row: RunRow
    settled: bool


class Registry:
    """The write side. One per data root: the daemon's."""

    def __init__(self, root: DataRoot, *, busy_millis: int = 1000) -> None:
        self._path = root.registry
        self._busy_millis = busy_millis
        self.renewed = not self._path.exists()
        try:
            self._connection = self._open()
            self.entries()
        except (apsw.Error, msgspec.DecodeError):
            self.renew()

    def _open(self) -> apsw.Connection:
        # Created here, not by SQLite: it gives the -wal and -shm files this one's mode.
        os.close(open_regular(self._path, os.O_RDWR | os.O_CREAT))
        connection = apsw.Connection(str(self._path))
        try:
            connection.set_busy_timeout(self._busy_millis)
            connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", "normal")
            found = connection.pragma("user_version")
            if found not in (0, _FORMAT):
                raise apsw.NotADBError(f"registry format {found}")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS runs(run_id TEXT PRIMARY KEY, settled INT, row BLOB)"
            )
            connection.pragma("user_version", _FORMAT)
        except apsw.Error:
            connection.close(True)
            raise
        return connection

    def renew(self) -> None:
        """Start over with an empty list."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self._connection = self._open()
        self.renewed = True

    def entries(self) -> dict[str, Entry]:
        """Everything listed."""
        rows = self._connection.execute("SELECT run_id, settled, row FROM runs")
        return {run_id: Entry(_decoder.decode(row), bool(settled)) for run_id, settled, row in rows}

    def put(self, entries: Iterable[Entry]) -> None:
        """Write rows, all or none.

        Raises:
            StoreError: the disk or the file refused; nothing of it is written.
        """
        values = [(entry.row.run_id, entry.settled, _encoder.encode(entry.row)) for entry in entries]
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO runs VALUES(?, ?, ?)", values)
        except apsw.Error as error:
            raise StoreError(f"{self._path} cannot be written: {error}. It will be made anew.") from error

    def remove(self, run_id: str) -> None:
        """Take a run off the list."""
        try:
            self._connection.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))
        except apsw.Error as error:
            raise StoreError(f"{self._path} cannot be written: {error}. It will be made anew.") from error

    def close(self) -> None:
        """Let go of the file. Twice is fine."""
        if hasattr(self, "_connection"):
            self._connection.close(True)


def read_runs(root: DataRoot) -> list[RunRow]:
    """The rows as the daemon last wrote them, oldest id first; none when there is no readable registry."""
    return [entry.row for entry in read_entries(root.registry)]


def read_entries(path: Path) -> list[Entry]:
    """The same, with the word whether each row is final."""
    if not path.exists():
        return []
    try:
        connection = readonly.connect(path)
    except (apsw.Error, OSError):
        return []
    try:
        connection.set_busy_timeout(1000)
        rows = connection.execute("SELECT settled, row FROM runs ORDER BY run_id")
        return [Entry(_decoder.decode(row), bool(settled)) for settled, row in rows]
    except (apsw.Error, msgspec.DecodeError):
        return []
    finally:
        connection.close(True)
