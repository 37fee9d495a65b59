"""The files of the fast lane: find them, map them, take away those whose writer is dead.

Only regular files of this account in private folders are opened. Nothing is created here.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import stat
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.errors import ProtocolError
from mosaic_worker.common import layout

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

__all__ = ["alive", "attach", "lanes_of", "sweep", "sweep_folder", "sweep_run"]

_F_OFD_GETLK, _F_OFD_SETLK = 36, 37
_FLOCK = "hh4xqqi4x"  # struct flock: type, whence, start, len, pid
_WHOLE_FILE = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
_LARGEST = 1 << 32


def lanes_of(run: RunFolder) -> list[Path]:
    """The lanes of a run's processes, wherever they lie."""
    found: list[Path] = []
    for folder in layout.folders_of(str(run.path)):
        if _private(Path(folder)):
            found.extend(Path(folder).glob("*.lane"))
    return sorted(found)


def attach(path: Path, *, writable: bool = False) -> mmap.mmap:
    """Map a file of the lane.

    Raises:
        FileNotFoundError: its writer took it away.
        ProtocolError: it is not a file we could have made.
    """
    flags = (os.O_RDWR if writable else os.O_RDONLY) | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        fd = os.open(path, flags)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ProtocolError(
            f"{path} cannot be opened as a file of the fast lane: {error.strerror}"
        ) from error
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or not 0 < found.st_size < _LARGEST:
            raise ProtocolError(
                f"{path} is no file of the fast lane: {found.st_size} bytes, mode {found.st_mode:o}"
            )
        return mmap.mmap(fd, found.st_size, access=mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ)
    finally:
        os.close(fd)


def alive(lane: Path) -> bool:
    """Whether the process that made this lane still lives. Asks the lock and takes nothing."""
    try:
        fd = os.open(lane, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        answer = fcntl.fcntl(fd, _F_OFD_GETLK, _WHOLE_FILE)
    finally:
        os.close(fd)
    return bool(struct.unpack(_FLOCK, answer)[0] != fcntl.F_UNLCK)


def sweep(*, root: Path | None = None) -> list[Path]:
    """Remove what dead writers of this account left in shared memory. Returns the files that went."""
    place = Path(layout.shared_memory()) if root is None else root
    gone: list[Path] = []
    if not _private(place):
        return gone
    for folder in sorted(place.iterdir()):
        if _private(folder):
            gone.extend(sweep_folder(folder))
    _remove_if_empty(place)
    return gone


def sweep_run(run: RunFolder) -> None:
    """Remove what one run's dead processes left, wherever it lies."""
    for folder in map(Path, layout.folders_of(str(run.path))):
        if _private(folder):
            sweep_folder(folder)
    _remove_if_empty(Path(layout.shared_memory()))


def sweep_folder(folder: Path) -> list[Path]:
    """Remove what dead writers left in one run's folder, and the folder when nothing is left in it."""
    gone = []
    for path in sorted(folder.glob("*.ring")):
        # SYNC: a writer makes its lane before its rings and takes it away after them.
        if not alive(folder / layout.lane_name(path.name.partition(".")[0])):
            path.unlink(missing_ok=True)
            gone.append(path)
    gone.extend(path for path in sorted(folder.glob("*.lane")) if _remove_dead(path))
    _remove_if_empty(folder)
    return gone


def _remove_dead(lane: Path) -> bool:
    try:
        fd = os.open(lane, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.fcntl(fd, _F_OFD_SETLK, _WHOLE_FILE)
        # SYNC: unlinked under the lock. A writer that created it a moment ago then fails to lock it, or finds
        # it without a name, and makes another.
        lane.unlink(missing_ok=True)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def _private(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    return (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.getuid()
        and not stat.S_IMODE(found.st_mode) & 0o077
    )


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return
