"""The files of a store: how they are called, whether SQLite may open them, and how a bad one makes room.

Knows nothing of what is in them. Removes a link, never what it leads to.
"""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = ["may_be_store", "move_aside", "rebuild_path", "remove_store"]


def rebuild_path(folder: RunFolder) -> Path:
    """Where a store is made anew before it takes its place."""
    return folder.store.with_name(f"{folder.store.name}.rebuild")


def remove_store(path: Path) -> None:
    """Remove a database and its logs, and whatever else has their names."""
    for each in _files_of(path):
        _remove(each)


def may_be_store(path: Path) -> bool:
    """Whether SQLite may open it and its logs: where there is one, it is a file of this folder."""
    there = [each for each in _files_of(path) if os.path.lexists(each)]
    return all(stat.S_ISREG(each.lstat().st_mode) for each in there)


def move_aside(path: Path) -> None:
    """Keep a bad file for whoever wants to look at it, the newest one only, and remove its logs."""
    older = sorted(path.parent.glob(f"{path.name}.corrupt-*"), key=lambda each: each.lstat().st_mtime_ns)
    numbers = [each.name.rpartition("-")[2] for each in older]
    number = 1 + max((int(text) for text in numbers if text.isdigit()), default=0)
    if os.path.lexists(path):
        path.rename(path.with_name(f"{path.name}.corrupt-{number}"))
    for each in older:
        _remove(each)
    remove_store(path)


def _files_of(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm", "-journal")]


def _remove(path: Path) -> None:
    """Remove a name; of a link only itself."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
