"""What a checkpoint is by its table of contents: the names in a zip file. Unpacks and loads nothing of it."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["members"]


def members(path: Path) -> frozenset[str]:
    """The names in a zip file; empty for a file that is none, or cannot be read."""
    try:
        # O_NONBLOCK: opening a named pipe must not wait for somebody to write into it
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            return frozenset()
        with os.fdopen(fd, "rb") as file, zipfile.ZipFile(file) as archive:
            return frozenset(archive.namelist())
    except (OSError, ValueError, EOFError, NotImplementedError, struct.error, zipfile.BadZipFile):
        return frozenset()
