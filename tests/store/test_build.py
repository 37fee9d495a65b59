"""Which SQLite this is."""

from __future__ import annotations

from mosaic.store.build import sqlite_version


def test_it_has_the_wal_reset_fix() -> None:
    assert tuple(int(part) for part in sqlite_version().split(".")[:3]) >= (3, 51, 3)
