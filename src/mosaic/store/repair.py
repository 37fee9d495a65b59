"""Damaged sealed segments: which they are, and a segment written anew with a hole where it was damaged.

Nothing is thrown away: the damaged file stays beside the new one under a name of its own; renaming it back
undoes the repair. Never touches the store.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from mosaic.errors import StoreError
from mosaic.runs import locks
from mosaic.runs.files import sync_folder
from mosaic.store.blocks import BLOCK_BYTES, SealedFile, end_mark, frame
from mosaic.store.sources import list_sources
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder
    from mosaic.store.blocks import Damage

__all__ = ["DamagedSegment", "damaged_segments", "repair"]


@dataclass(frozen=True)
class DamagedSegment:
    """A sealed segment, and what of it cannot be read."""

    path: Path
    damage: list[Damage]


def damaged_segments(folder: RunFolder) -> list[DamagedSegment]:
    """The sealed segments of a run that are damaged. Unpacks all of them."""
    found = []
    for source in list_sources(folder):
        if source.sealed:
            with os.fdopen(open_regular(source.path), "rb") as file:
                damage = SealedFile(file.fileno()).damage()
            if damage:
                found.append(DamagedSegment(source.path, damage))
    return found


def repair(folder: RunFolder) -> list[tuple[DamagedSegment, Path]]:
    """Write every damaged segment anew with holes; each with the name its damaged file has now.

    Raises:
        StoreError: the run is being ingested.
    """
    try:
        lock = locks.Lock(folder.path / "ingest.lock")
    except BlockingIOError as error:
        raise StoreError(f"run {folder.run_id} is being ingested. Repair it when it has ended.") from error
    with lock:
        return [(segment, _rewrite(folder, segment)) for segment in damaged_segments(folder)]


def _rewrite(folder: RunFolder, segment: DamagedSegment) -> Path:
    path = segment.path
    temporary = path.with_name(f".{path.name}.tmp")
    fd = open_regular(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(fd, "wb") as out, os.fdopen(open_regular(path), "rb") as file:
        sealed = SealedFile(file.fileno())
        # Of an end that is missing nobody knows how long it was: one NUL stands for it, and is a hole.
        length = sealed.length + sealed.cut
        for at in range(0, length, BLOCK_BYTES):
            size = min(BLOCK_BYTES, length - at)
            out.write(frame(sealed.read(at, size).ljust(size, b"\0"), offset=at))
        out.write(end_mark(length=length, file_bytes=out.tell()))
        out.flush()
        os.fsync(out.fileno())
    aside = _free_name(path)
    _note(folder, segment, aside)
    # SYNC: the damaged file has its second name before the new one takes the first: none is ever missing.
    os.link(path, aside)
    temporary.replace(path)
    sync_folder(path.parent)
    return aside


def _free_name(path: Path) -> Path:
    number = 1
    while os.path.lexists(path.with_name(f"{path.name}.damaged-{number}")):
        number += 1
    return path.with_name(f"{path.name}.damaged-{number}")


def _note(folder: RunFolder, segment: DamagedSegment, aside: Path) -> None:
    """Append to repairs.jsonl what was damaged where, and under which name the damaged file stays."""
    lost = [damage._asdict() for damage in segment.damage]
    line = {"t": time.time(), "segment": segment.path.name, "kept_as": aside.name, "damage": lost}
    fd = open_regular(folder.path / "repairs.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with os.fdopen(fd, "ab") as file:
        file.write(msgspec.json.encode(line) + b"\n")
        file.flush()
        os.fsync(file.fileno())
