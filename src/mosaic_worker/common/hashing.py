"""What the bytes of a file, or of a whole folder, are: one SHA-256. Runs nothing and follows no link.

A folder's hash is that of its manifest: for each file below it, sorted by name, the hash, the size and the
name; for a link, where it points. Two folders with the same hash hold the same files. A folder with more
files than any checkpoint has, or with something in it that is neither file, folder nor link, is refused.
Standard library only: the worker hashes what was saved, the workbench compares.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import Iterator, List, NamedTuple, Optional, Tuple, Union

from mosaic_worker.common.opening import BadFileError, open_folder, open_regular

__all__ = ["MAX_FILES", "Hashed", "hash_folder", "hash_open_file"]

MAX_FILES = 10_000
_MAX_DEPTH = 32
_BLOCK = 1 << 20
_Path = Union[str, "os.PathLike[str]"]


class Hashed(NamedTuple):
    """What a file or a folder holds."""

    sha256: str
    bytes: int
    files: Optional[int] = None
    """How many files lie in it; None: it is a file itself."""


def hash_open_file(fd: int, *, at_most_bytes: Optional[int] = None) -> Hashed:
    """Hash what an open file holds from here on. Reads little more than `at_most_bytes`, if that is given."""
    import hashlib  # slow, and only checkpoints need it

    digest, size = hashlib.sha256(), 0
    while True:
        block = os.read(fd, _BLOCK)
        if not block:
            break
        digest.update(block)
        size += len(block)
        if at_most_bytes is not None and size > at_most_bytes:
            break
    return Hashed(digest.hexdigest(), size)


def hash_folder(path: _Path, *, at_most_bytes: Optional[int] = None) -> Hashed:
    """Hash a folder's manifest. Reads little more than `at_most_bytes` of all files together, if given.

    Raises:
        BadFileError: it holds too many files, is too deep, or something lies in it that has no bytes.
        OSError: it is not a folder, or something in it cannot be read.
    """
    import hashlib

    found: List[Tuple[bytes, bytes]] = []
    total = files = 0
    top = open_folder(path)
    try:
        for name, folder, entry in _below(top, b"", 0):
            if len(found) >= MAX_FILES:
                raise BadFileError(errno.EFBIG, f"more than {MAX_FILES} files", os.fspath(path))
            mode = os.lstat(entry, dir_fd=folder).st_mode
            if stat.S_ISLNK(mode):
                found.append((name, b"link " + os.readlink(entry, dir_fd=folder)))
                continue
            fd = open_regular(os.fsdecode(entry), dir_fd=folder)
            try:
                left = None if at_most_bytes is None else at_most_bytes - total
                held = hash_open_file(fd, at_most_bytes=left)
            finally:
                os.close(fd)
            total += held.bytes
            files += 1
            found.append((name, b"%b %d" % (held.sha256.encode(), held.bytes)))
            if at_most_bytes is not None and total > at_most_bytes:
                break
    finally:
        os.close(top)
    digest = hashlib.sha256()
    for name, what in sorted(found):
        digest.update(b"%b %b\0" % (what, name))
    return Hashed(digest.hexdigest(), total, files)


def _below(folder: int, prefix: bytes, depth: int) -> Iterator[Tuple[bytes, int, bytes]]:
    """Everything below an open folder but folders: its name from the top, its folder, its own name."""
    if depth > _MAX_DEPTH:
        raise BadFileError(errno.ELOOP, f"folders {_MAX_DEPTH} deep", os.fsdecode(prefix))
    for text in sorted(os.listdir(folder)):
        entry = os.fsencode(text)
        name = prefix + entry
        if stat.S_ISDIR(os.lstat(entry, dir_fd=folder).st_mode):
            inner = open_folder(text, dir_fd=folder)
            try:
                yield from _below(inner, name + b"/", depth + 1)
            finally:
                os.close(inner)
        else:
            yield name, folder, entry
