"""The sources of a run's events: journal segments, plain or sealed, and stdout.log. Reads, never writes.

Offsets count uncompressed bytes, so a cursor holds across sealing. Only regular files are sources: what else
has the name of one (a named pipe, a link, a folder) is listed apart and never opened.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mosaic.errors import StoreError
from mosaic.runs import locks
from mosaic.runs.output import over_gap
from mosaic.store.blocks import SealedFile
from mosaic_worker.common.opening import open_folder, open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = ["STDOUT", "Source", "SourceReader", "list_sources", "look"]

STDOUT = "stdout.log"
_SEGMENT = re.compile(r"([^-/]+)-([0-9]{4,})\.jsonl(\.zst)?")
_NOT_NUL = re.compile(rb"[^\0]")
_SCAN_BYTES = 1 << 20


@dataclass(frozen=True)
class Source:
    """One file of events. `name` stays the same when it is sealed."""

    name: str
    producer: str
    number: int
    path: Path
    sealed: bool

    def final(self, *, over: bool) -> bool:
        """Whether nobody writes to it any more. `over`: no process of the run is left, nor will one come."""
        if self.sealed:
            return True
        # SYNC: a segment has its name before its lock, its lock before its size: an empty one says nothing.
        if self.name == STDOUT or self.path.stat().st_size == 0:
            return over
        return not locks.held(self.path)


def list_sources(folder: RunFolder) -> list[Source]:
    """All sources of a run, each producer's segments in order, stdout.log last.

    Raises:
        StoreError: the journal is not a folder.
    """
    return look(folder)[0]


def look(folder: RunFolder) -> tuple[list[Source], list[str]]:
    """The sources of a run, and the names in it that a source should have and something else has.

    Raises:
        StoreError: the journal is not a folder.
    """
    found: dict[str, Source] = {}
    strange = []
    for entry, match in _segments(folder):
        name = entry.name.removesuffix(".zst")
        if not entry.name.isprintable() or not entry.is_file(follow_symlinks=False):
            strange.append(f"journal/{entry.name.encode('utf-8', 'backslashreplace').decode()}")
        # A sealed twin is complete: it got its name only after it was synced.
        elif match[3] is not None or name not in found:
            path = folder.journal / entry.name
            found[name] = Source(name, match[1], int(match[2]), path, match[3] is not None)
    ordered = sorted(found.values(), key=lambda source: (source.producer, source.number))
    strange.sort()
    if _is_file(folder.stdout):
        ordered.append(Source(STDOUT, STDOUT, 0, folder.stdout, sealed=False))
    elif os.path.lexists(folder.stdout):
        strange.append(STDOUT)
    return ordered, strange


def _segments(folder: RunFolder) -> Iterator[tuple[os.DirEntry[str], re.Match[str]]]:
    """What in the journal has the name of a segment."""
    try:
        fd = open_folder(folder.journal)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(
            f"{folder.journal} is not a folder ({error.strerror}). Put the journal back there."
        ) from error
    try:
        with os.scandir(fd) as entries:
            for entry in entries:
                match = _SEGMENT.fullmatch(entry.name)
                if match is not None:
                    yield entry, match
    finally:
        os.close(fd)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


class SourceReader:
    """Bytes of one source by offset. What of a sealed one is damaged reads as NULs."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._file = os.fdopen(open_regular(source.path), "rb", buffering=0)
        try:
            self._sealed = SealedFile(self._file.fileno()) if source.sealed else None
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Let go of the file. Twice is fine."""
        self._file.close()

    def __enter__(self) -> SourceReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes at `offset`; fewer only at the end."""
        return self._pread(offset, size) if self._sealed is None else self._sealed.read(offset, size)

    @property
    def cut(self) -> bool:
        """Whether it is sealed and something is missing that no offset tells of."""
        return self._sealed is not None and self._sealed.cut

    @property
    def sealed_bytes(self) -> int:
        """How long it is, if it is sealed; else 0."""
        return 0 if self._sealed is None else self._sealed.length

    def _pread(self, offset: int, size: int) -> bytes:
        parts = []
        while size > 0:
            part = os.pread(self._file.fileno(), size, offset)
            if not part:
                break
            parts.append(part)
            offset += len(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def reaches(self, offset: int) -> bool:
        """Whether the source still goes as far as it was read once; NULs that fill up a segment do not."""
        if self.source.name == STDOUT:
            return os.fstat(self._file.fileno()).st_size >= offset
        return offset == 0 or self.next_data(offset - 1) is not None

    def next_data(self, offset: int) -> int | None:
        """Where the first byte that is not NUL stands at or after `offset`; None when there is none."""
        while True:
            offset = self.over_gap(offset)
            part = self.read(offset, _SCAN_BYTES)
            if not part:
                return None
            match = _NOT_NUL.search(part)
            if match:
                return offset + match.start()
            offset += len(part)

    def over_gap(self, offset: int) -> int:
        """Where a plain file has data again: a terabyte that was never written is not read as NULs."""
        if self.source.sealed:
            return offset
        return over_gap(self._file.fileno(), offset)
