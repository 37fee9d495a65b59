"""Sealing: a finished, ingested segment becomes `.jsonl.zst`.

At every instant the original or a complete copy exists.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mosaic.runs.files import sync_folder
from mosaic.store.blocks import BLOCK_BYTES, end_mark, frame
from mosaic.store.sources import SourceReader
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Generator

    from mosaic.paths import RunFolder
    from mosaic.store.sources import Source

__all__ = ["seal", "sealing", "sweep"]


def seal(source: Source, *, length: int) -> None:
    """Replace a plain segment by its compressed form: its first `length` bytes, without the NULs behind them.

    The store need not be synced first: cursors count uncompressed bytes, so a store that falls back after a
    power loss goes on in the sealed segment.
    """
    for _ in sealing(source, length=length):
        pass


def sealing(source: Source, *, length: int) -> Generator[None, None, None]:
    """The same, block by block, for who has other things to do in between. Closing it leaves the original."""
    temporary = source.path.with_name(f".{source.path.name}.zst.tmp")
    sealed = source.path.with_name(f"{source.path.name}.zst")
    fd = open_regular(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(fd, "wb", buffering=0) as file, SourceReader(source) as reader:
        at = 0
        while at < length:
            data = reader.read(at, min(BLOCK_BYTES, length - at))
            if not data:
                raise OSError(f"{source.path} ended at {at} of {length} bytes")
            _write_all(file.fileno(), frame(data, offset=at))
            at += len(data)
            yield
        _write_all(file.fileno(), end_mark(length=length, file_bytes=file.tell()))
        # SYNC: the copy is on disk before it gets its name: a name `.zst` always means complete.
        os.fsync(file.fileno())
    temporary.replace(sealed)
    # SYNC: the name is on disk before the original goes: a power loss leaves at least one of the two.
    sync_folder(source.path.parent)
    source.path.unlink()


def sweep(folder: RunFolder) -> None:
    """Finish what a killed sealing left: drop half-made copies, and originals that have a complete one."""
    if not folder.journal.is_dir():
        return
    for entry in list(folder.journal.iterdir()):
        if entry.name.startswith(".") and entry.name.endswith(".zst.tmp"):
            entry.unlink(missing_ok=True)
        elif entry.name.endswith(".jsonl.zst"):
            original = entry.with_name(entry.name.removesuffix(".zst"))
            if original.exists():
                # SYNC: the name may not be on disk yet when whoever sealed was killed before saying so.
                sync_folder(folder.journal)
                original.unlink()


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
