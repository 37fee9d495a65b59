"""Which SQLite this is. Its own module, so that asking costs no more than loading it."""

from __future__ import annotations

import apsw

__all__ = ["sqlite_version"]


def sqlite_version() -> str:
    """The version of the SQLite library that stores are written with."""
    return apsw.sqlite_lib_version()
