"""What of a folder is on the disk for sure, what may be, and the pictures a power loss can leave of it.

Learned by watching `fsync` and `fdatasync` of this process: what a file held when a sync began is on the
disk once the sync returned; a name is on the disk once its folder was synced. Of everything later each page
may have reached the disk or not, in any version it had, and one page may be torn between two versions at a
sector.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Disk", "Moment"]

PAGE, SECTOR = 4096, 512


@dataclass(frozen=True)
class Moment:
    """All there is to know for a power loss at one instant; `claims` is what was called synced by then."""

    names: dict[str, int]
    synced_names: dict[str, int]
    synced: dict[int, bytes]
    versions: dict[int, tuple[bytes, ...]]
    claims: int

    def picture(self, chance: random.Random, folder: Path) -> None:
        """Write one of the states the disk may be in after a power loss."""
        how = chance.choice(("none", "all", "some", "some", "torn"))
        for name in {*self.names, *self.synced_names}:
            kept = chance.random() < 0.5 if how in ("some", "torn") else how == "all"
            inode = (self.names if kept else self.synced_names).get(name)
            if inode is not None:
                (folder / name).write_bytes(self._content(inode, how, chance))

    def _content(self, inode: int, how: str, chance: random.Random) -> bytes:
        base = self.synced.get(inode, b"")
        versions = [base, *self.versions.get(inode, ())]
        if how in ("none", "all"):
            return versions[0 if how == "none" else -1]
        size = len(chance.choice(versions))
        pages = []
        for at in range(0, size, PAGE):
            choices = [version[at : at + PAGE].ljust(PAGE, b"\0") for version in versions]
            page = chance.choice(choices)
            if how == "torn" and chance.random() < 0.3:
                other = chance.choice(choices)
                cut = SECTOR * chance.randrange(1, PAGE // SECTOR)
                page = page[:cut] + other[cut:]
            pages.append(page)
        return b"".join(pages)[:size]


class Disk:
    """The disk under the files of a folder that match. `claims` says how much is called synced now."""

    def __init__(self, folder: Path, patterns: tuple[str, ...], claims: Callable[[], int]) -> None:
        self._folder = folder
        self._patterns = patterns
        self._claims = claims
        self._synced: dict[int, bytes] = {}
        self._synced_names: dict[str, int] = {}
        self._versions: dict[int, list[bytes]] = {}
        self._held: dict[int, int] = {}  # open, so that no inode is used twice
        self.moments: list[Moment] = []

    def look(self) -> None:
        """Take note of how the folder is now; a power loss may strike at this moment."""
        names = self._names()
        for name, inode in names.items():
            if inode not in self._held:
                self._held[inode] = os.open(self._folder / name, os.O_RDONLY)
        for inode, fd in self._held.items():
            seen = self._versions.setdefault(inode, [])
            content = os.pread(fd, os.fstat(fd).st_size, 0)
            if not seen or seen[-1] != content:
                seen.append(content)
        versions = {inode: tuple(seen) for inode, seen in self._versions.items()}
        self.moments.append(
            Moment(names, dict(self._synced_names), dict(self._synced), versions, self._claims())
        )

    def _names(self) -> dict[str, int]:
        found = [path for pattern in self._patterns for path in self._folder.glob(pattern)]
        return {str(path.relative_to(self._folder)): path.stat().st_ino for path in found}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """See every sync of this process, and let power fail before, during and after each."""
        real = os.fsync, os.fdatasync

        def sync(fd: Any) -> None:
            self.look()
            path, inode = Path(os.readlink(f"/proc/self/fd/{fd}")), os.fstat(fd).st_ino
            if path.is_dir():
                known, present = self._synced_names, self._names()
                kept = {name: known[name] for name in known if (self._folder / name).parent != path}
                here = {name: present[name] for name in present if (self._folder / name).parent == path}
                self._synced_names = {**kept, **here}
            else:
                self._synced[inode] = path.read_bytes()
                self._versions[inode] = []
            (real[0] if path.is_dir() else real[1])(
                fd
            )  # really: only a clean page makes a later write visible
            self.look()

        os.fsync = os.fdatasync = sync
        try:
            yield
        finally:
            os.fsync, os.fdatasync = real
            for fd in self._held.values():
                os.close(fd)
