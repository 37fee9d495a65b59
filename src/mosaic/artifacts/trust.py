"""Which bytes may be loaded although that can run code. Trust is in one exact SHA-256, never in a name.

Checkpoints of runs that were started here are trusted by their record; a run that was brought in (unpacked,
copied) is a stranger's. Nothing here opens a checkpoint other than to hash it.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mosaic.errors import UsageError
from mosaic.runs.files import make_private, sync_folder, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import DataRoot

__all__ = ["Hashed", "forget_run", "hash_file", "is_own_run", "is_trusted", "own_run", "trust"]

_BLOCK = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Hashed(NamedTuple):
    """What a file's bytes are."""

    sha256: str
    bytes: int


class _Trusted(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    bytes: int
    t: float


def hash_file(path: Path, *, at_most: int | None = None) -> Hashed:
    """Hash a regular file. Reads no further than `at_most` bytes and one: enough to see that it is longer.

    Raises:
        UsageError: there is no such file, it is not a regular one, or it cannot be read.
    """
    try:
        # O_NONBLOCK: opening a named pipe must not wait for somebody to write into it
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise UsageError(f"{path} is not a regular file")
    with os.fdopen(fd, "rb") as file:
        digest, size = hashlib.sha256(), 0
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
            if at_most is not None and size > at_most:
                break
    return Hashed(digest.hexdigest(), size)


def trust(root: DataRoot, path: Path, *, now: float | None = None) -> Hashed:
    """Trust the bytes a file holds now, wherever they turn up. What it hashes to.

    Raises:
        UsageError: there is no such file, or it cannot be read.
    """
    found = hash_file(path)
    make_private(root.path)
    make_private(root.trust)
    make_private(root.trust / "sha256")
    record = _Trusted(path=str(path.absolute()), bytes=found.bytes, t=time.time() if now is None else now)
    write_json(root.trust / "sha256" / found.sha256, record)
    return found


def is_trusted(root: DataRoot, sha256: str | None) -> bool:
    """Whether somebody said so of exactly these bytes."""
    if sha256 is None or _SHA256.fullmatch(sha256) is None:
        return False
    return (root.trust / "sha256" / sha256).is_file()


def own_run(root: DataRoot, run_id: str) -> None:
    """Note that a run is started here: what it records about its checkpoints is believed."""
    make_private(root.trust)
    make_private(root.trust / "runs")
    (root.trust / "runs" / run_id).touch(mode=0o600)
    sync_folder(root.trust / "runs")


def forget_run(root: DataRoot, run_id: str) -> None:
    """A run of this id comes from elsewhere, or is gone: what it says is not believed from now on."""
    (root.trust / "runs" / run_id).unlink(missing_ok=True)


def is_own_run(root: DataRoot, run_id: str) -> bool:
    """Whether the run was started here, and not brought in."""
    return (root.trust / "runs" / run_id).is_file()
