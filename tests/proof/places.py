"""Folders in memory for proofs that make thousands of small runs. Where there is no such place, on disk."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["in_memory"]


@contextmanager
def in_memory() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="proof-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    try:
        yield path
    finally:
        shutil.rmtree(path)
