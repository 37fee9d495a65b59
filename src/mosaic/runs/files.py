"""Small files written whole or not at all, and folders nobody else may enter."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, TypeVar

import msgspec

from mosaic.errors import DataRootError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["make_private", "read_json", "sync_folder", "write_atomically", "write_json"]

T = TypeVar("T")


def write_atomically(path: Path, data: bytes, *, synced: bool = True) -> None:
    """Replace a file's content: a reader or a crash sees the old or the new, never a part."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            if synced:
                os.fdatasync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if synced:
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make names created, replaced or removed in a folder survive a power loss."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_json(path: Path, record: msgspec.Struct, *, synced: bool = True) -> None:
    """Write a record as readable JSON, atomically."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(record)) + b"\n", synced=synced)


def read_json(path: Path, kind: type[T]) -> T | None:
    """The record in a file, or None when there is no such file.

    Raises:
        msgspec.DecodeError: the file holds something else.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    return msgspec.json.decode(data, type=kind)


def make_private(path: Path) -> None:
    """Create a folder as 0700, or check that an existing one is ours and closed to others.

    Raises:
        DataRootError: it belongs to someone else, is open to others, or cannot be made.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = path.lstat()
    except OSError as error:
        raise DataRootError(
            f"cannot make {path}: {error.strerror}. Set MOSAIC_HOME to a folder you own."
        ) from error
    if not stat.S_ISDIR(info.st_mode):
        raise DataRootError(f"{path} is not a folder. Set MOSAIC_HOME to one you own.")
    if info.st_uid != os.getuid():
        raise DataRootError(f"{path} belongs to uid {info.st_uid}, not to you ({os.getuid()}).")
    if info.st_mode & 0o077:
        mode = stat.S_IMODE(info.st_mode)
        raise DataRootError(f"{path} is open to other accounts (mode {mode:04o}). Close it: chmod 700 {path}")
    if not os.access(path, os.W_OK | os.X_OK):
        raise DataRootError(
            f"{path} is not writable. Fix it with: chmod 700 {path}, or set MOSAIC_HOME elsewhere."
        )
