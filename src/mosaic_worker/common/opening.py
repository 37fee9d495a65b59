"""The one way to open a file in a run's folder: a regular file, never through a link, never waiting.

Whoever can write into a run's folder decides what lies there: a worker, somebody's script, a pack from
elsewhere. Opening a named pipe would wait for ever, a link leads out of the folder, a record of gigabytes
fills the memory. So nothing else in MOSAIC opens what lies in a run's folder. Standard library only: the
shim, the worker and the workbench all use it.

A path's last name is never followed. Whoever must be sure of the folders before it opens the run's folder
with `open_folder` and goes on from there by `dir_fd`.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import List, Optional, Union

__all__ = ["BadFileError", "check_regular", "open_folder", "open_regular", "read_whole", "rename_over"]

_Path = Union[str, "os.PathLike[str]"]

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISREG, "a file"),
)


class BadFileError(OSError):
    """What lies there does not belong there: it is not a regular file, or too large for one of its kind."""


def open_regular(
    path: _Path, flags: int = os.O_RDONLY, *, dir_fd: Optional[int] = None, mode: int = 0o600
) -> int:
    """A descriptor of a regular file, closed on exec. `flags` as for `os.open`, O_CREAT too.

    Raises:
        FileNotFoundError: nothing is there.
        BadFileError: a folder, link, pipe, socket or device is there.
        OSError: it cannot be opened.
    """
    try:
        # O_NONBLOCK: a named pipe must not make us wait for its other end. It means nothing to regular files.
        fd = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode, dir_fd=dir_fd)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ENODEV):
            raise _bad(path, dir_fd, error.errno) from error
        raise
    found = os.fstat(fd).st_mode
    if stat.S_ISREG(found):
        return fd
    os.close(fd)
    raise BadFileError(errno.EINVAL, f"{_kind(found)} where a file should be", os.fspath(path))


def check_regular(path: _Path, *, dir_fd: Optional[int] = None) -> None:
    """For files that a library opens by itself: refuse what is there and is no regular file.

    Raises:
        BadFileError: a folder, link, pipe, socket or device is there.
        OSError: nobody can say what is there.
    """
    try:
        found = os.lstat(path, dir_fd=dir_fd).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found):
        raise BadFileError(errno.EINVAL, f"{_kind(found)} where a file should be", os.fspath(path))


def open_folder(path: _Path, *, dir_fd: Optional[int] = None) -> int:
    """A descriptor of a folder, not of what a link leads to.

    Raises:
        FileNotFoundError: nothing is there.
        BadFileError: something else is there.
        OSError: it cannot be opened.
    """
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=dir_fd)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _bad(path, dir_fd, error.errno, wanted="a folder") from error
        raise


def read_whole(path: _Path, *, at_most_bytes: int, dir_fd: Optional[int] = None) -> bytes:
    """All of a small file.

    Raises:
        FileNotFoundError: nothing is there.
        BadFileError: it is not a regular file, or holds more than `at_most_bytes`.
        OSError: it cannot be read.
    """
    fd = open_regular(path, dir_fd=dir_fd)
    try:
        if os.fstat(fd).st_size > at_most_bytes:
            raise _too_large(path, at_most_bytes)
        parts: List[bytes] = []
        left = at_most_bytes + 1
        while left > 0:
            part = os.read(fd, min(left, 1 << 20))
            if not part:
                return b"".join(parts)
            parts.append(part)
            left -= len(part)
    finally:
        os.close(fd)
    raise _too_large(path, at_most_bytes)


def rename_over(temporary: str, name: str, *, dir_fd: int) -> None:
    """Give a finished file its name, whatever has that name now. Both are in the folder of `dir_fd`.

    A file, link, pipe or socket is replaced. A folder cannot be: it is moved aside, with all it holds.

    Raises:
        OSError: the file system refused.
    """
    try:
        os.rename(temporary, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    except IsADirectoryError:
        aside = f".{name}.aside-{os.urandom(4).hex()}"
        os.rename(name, aside, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
        os.rename(temporary, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)


def _too_large(path: _Path, at_most_bytes: int) -> BadFileError:
    return BadFileError(errno.EFBIG, f"more than {at_most_bytes} bytes", os.fspath(path))


def _bad(path: _Path, dir_fd: Optional[int], number: int, *, wanted: str = "a file") -> BadFileError:
    try:
        what = _kind(os.lstat(path, dir_fd=dir_fd).st_mode)
    except OSError:
        what = "something else"
    return BadFileError(number, f"{what} where {wanted} should be", os.fspath(path))


def _kind(mode: int) -> str:
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "something else")
