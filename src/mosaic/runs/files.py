"""Small files written whole or not at all, read whole or not at all, and folders nobody else may enter.

Opens through `mosaic_worker.common.opening` alone: no link is followed, nothing is waited for, and no record
is larger than a record can be.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING, TypeVar

import msgspec

from mosaic.errors import DataRootError
from mosaic_worker.common.opening import open_folder, open_regular, read_whole, rename_over

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "RECORD_BYTES",
    "can_only_read",
    "check_private",
    "make_private",
    "read_json",
    "sync_folder",
    "write_atomically",
    "write_json",
]

T = TypeVar("T")

RECORD_BYTES = 16 << 20
"""No record is larger: a command has at most 2 MiB, and JSON may write a character as six."""


def write_atomically(path: Path, data: bytes, *, synced: bool = True) -> None:
    """Replace a file's content: a reader or a crash sees the old or the new, never a part."""
    folder = open_folder(path.parent)
    try:
        temporary = f".{path.name}.{os.urandom(4).hex()}.tmp"  # nobody can have put something there
        fd = open_regular(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=folder)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                if synced:
                    os.fdatasync(file.fileno())
            rename_over(temporary, path.name, dir_fd=folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            raise
        if synced:
            os.fsync(folder)
    finally:
        os.close(folder)


def sync_folder(path: Path) -> None:
    """Make names created, replaced or removed in a folder survive a power loss."""
    fd = open_folder(path)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_json(path: Path, record: msgspec.Struct, *, synced: bool = True) -> None:
    """Write a record as readable JSON, atomically."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(record)) + b"\n", synced=synced)


def read_json(path: Path | str, kind: type[T], *, dir_fd: int | None = None) -> T | None:
    """The record in a file, or None when there is no such file.

    Raises:
        msgspec.DecodeError: the file holds something else, or a number out of its range.
        OSError: it is no regular file, larger than any record, or cannot be read.
    """
    try:
        data = read_whole(path, at_most_bytes=RECORD_BYTES, dir_fd=dir_fd)
    except FileNotFoundError:
        return None
    try:
        return msgspec.json.decode(data, type=kind)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(f"not UTF-8: {error}") from error
    except RecursionError as error:
        raise msgspec.DecodeError("nested too deeply") from error


def make_private(path: Path) -> None:
    """Create a folder as 0700, or check that an existing one is ours, closed to others, and writable.

    Raises:
        DataRootError: it belongs to someone else, is open to others, or cannot be made.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise DataRootError(
            f"cannot make {path}: {error.strerror}. Set MOSAIC_HOME to a folder you own."
        ) from error
    check_private(path)
    if not os.access(path, os.W_OK | os.X_OK):
        raise DataRootError(
            f"{path} can only be read: it is not writable. If it is yours, chmod 700 {path}; if it lies on a "
            "read-only disk, copy it and set MOSAIC_HOME to the copy."
        )


def can_only_read(path: Path) -> bool:
    """Whether a folder is there and nothing can be made in it: a read-only disk, or its mode."""
    return path.exists() and not os.access(path, os.W_OK | os.X_OK)


def check_private(path: Path) -> None:
    """Check that a folder is ours and closed to others. It may be read-only: then it can be read.

    Raises:
        DataRootError: it belongs to someone else, is open to others, or cannot be looked at.
    """
    try:
        info = path.lstat()
    except OSError as error:
        raise DataRootError(f"cannot look at {path}: {error.strerror}") from error
    if not stat.S_ISDIR(info.st_mode):
        raise DataRootError(f"{path} is not a folder. Set MOSAIC_HOME to one you own.")
    if info.st_uid != os.getuid():
        raise DataRootError(f"{path} belongs to uid {info.st_uid}, not to you ({os.getuid()}).")
    if info.st_mode & 0o077:
        mode = stat.S_IMODE(info.st_mode)
        raise DataRootError(f"{path} is open to other accounts (mode {mode:04o}). Close it: chmod 700 {path}")
