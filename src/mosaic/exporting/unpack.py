"""A packed run back into a run folder. The file may come from anyone, so nothing in it is believed.

Names are checked, only regular files are taken, every byte is hashed and counted against what the first
member declared, what it may become is bounded before anything is written, and the run appears whole, in one
rename, or not at all. Nothing in it is ever executed.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import msgspec
import zstandard

from mosaic.artifacts import trust
from mosaic.errors import ProtocolError, StoreError, UsageError
from mosaic.exporting import archive
from mosaic.paths import RunFolder
from mosaic.runs import folder as runs
from mosaic.runs.files import make_private, sync_folder
from mosaic.runs.staging import staging, sweep
from mosaic.store.blocks import SealedFile
from mosaic.store.rebuild import rebuild
from mosaic.text import size
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import DataRoot

__all__ = ["unpack"]

_TAR_SLACK = 1 << 20  # headers of a few members and the end blocks
_PER_FILE = 8 << 10  # one header, one long-name header, padding
_AT_LEAST = 4 << 30
_MAX_RATIO = 1000
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE)
# What tarfile and zstandard raise at damaged bytes; a header's numbers may be anything.
_NOT_A_PACK = (tarfile.TarError, zstandard.ZstdError, EOFError, ValueError, OverflowError, LookupError)


def unpack(
    source: Path, root: DataRoot, *, max_bytes: int | None = None, reserve_bytes: int = 1 << 30
) -> tuple[RunFolder, bool]:
    """Bring a packed run into a data root.

    Args:
        source: The packed run.
        root: Where it goes.
        max_bytes: What its files may become in all; None: a thousand times the pack, at least 4 GiB.
        reserve_bytes: How much of the disk must stay free.

    Returns:
        The run's folder, and whether it is new (False: the very same run was there already).

    Raises:
        UsageError: no such file, another run has this id, or there is no room for it.
        ProtocolError: the file is damaged, lies about itself, or holds what it must not.
    """
    if not source.is_file():
        raise UsageError(f"there is no file {source}")
    make_private(root.path)
    make_private(root.runs)
    sweep(root.path)
    if max_bytes is None:
        max_bytes = max(_AT_LEAST, _MAX_RATIO * source.stat().st_size)
    room = _Room(max_bytes, reserve_bytes, root.path)
    with staging(root.path) as inside:
        folder = _extract(source, inside, room)
        target = root.run(folder.run_id)
        if os.path.lexists(target.path):
            return _same_or_refused(folder, target)
        rebuild(folder)
        _sync_tree(folder.path)
        trust.forget_run(root, folder.run_id)  # an id of ours may come back with other files in it
        folder.path.rename(target.path)  # SYNC: everything in it is synced before its name appears
        sync_folder(root.runs)
        return target, True


def _unpacked_bytes(path: Path) -> int:
    """What a segment holds.

    Raises:
        ProtocolError: more than a file of its size may.
    """
    with os.fdopen(open_regular(path), "rb") as file:
        if path.suffix != ".zst":
            return os.fstat(file.fileno()).st_size
        sealed = SealedFile(file.fileno())
    if sealed.over_limit:
        raise ProtocolError(f"refused {path.name!r}: it unpacks to more than a thousand times its size")
    return sealed.length


@dataclass(frozen=True)
class _Room:
    """How much a pack may become."""

    max_bytes: int
    reserve_bytes: int
    disk: Path

    def check(self, files: list[archive.PackedFile]) -> None:
        """Refuse what is larger than anything a pack of this size should hold, or than the disk.

        Raises:
            ProtocolError: it declares too much.
            UsageError: the disk has no room for it.
        """
        self._check_bytes(sum(file.size for file in files))

    def check_journal(self, folder: RunFolder) -> None:
        """The same for what its sealed segments hold, before a store is made of it.

        Raises:
            ProtocolError: they hold too much.
            UsageError: the disk has no room for it.
        """
        self._check_bytes(sum(map(_unpacked_bytes, folder.journal.iterdir())))

    def _check_bytes(self, declared: int) -> None:
        if declared > self.max_bytes:
            raise ProtocolError(
                f"it would become {size(declared)}, over the limit of {size(self.max_bytes)} for a pack of "
                f"its size. If you know where it comes from: mosaic unpack --max-gib N"
            )
        free = shutil.disk_usage(self.disk).free - self.reserve_bytes
        if declared > free:
            raise UsageError(
                f"it would become {size(declared)}, and beside the reserve {size(max(0, free))} are free in "
                f"{self.disk}. Make room, or unpack into another MOSAIC_HOME."
            )


def _same_or_refused(folder: RunFolder, target: RunFolder) -> tuple[RunFolder, bool]:
    if archive.contents(folder) == archive.contents(target):
        return target, False
    raise UsageError(
        f"run {target.run_id} is here already and differs from the packed one. "
        f"Remove it first (mosaic rm {target.run_id}), or unpack into another MOSAIC_HOME."
    )


def _extract(source: Path, inside: Path, room: _Room) -> RunFolder:
    with source.open("rb") as raw:
        stream = zstandard.ZstdDecompressor(max_window_size=archive.MAX_WINDOW).stream_reader(raw)
        counted = _Counted(stream, limit=archive.MANIFEST_LIMIT + _TAR_SLACK)
        try:
            with tarfile.open(fileobj=counted, mode="r|") as tar:
                manifest = _read_manifest(tar)
                awaited = archive.checked_names(manifest.files)
                room.check(manifest.files)
                counted.limit = (
                    counted.taken + sum(file.size + _PER_FILE for file in manifest.files) + _TAR_SLACK
                )
                folder = RunFolder(inside / manifest.run_id)
                folder.path.mkdir(mode=0o700)
                _take_members(tar, awaited, folder)
        except _NOT_A_PACK as error:
            raise ProtocolError(f"{source} is not a whole packed run: {error}") from error
    _check_run(folder, source)
    room.check_journal(folder)
    return folder


def _read_manifest(tar: tarfile.TarFile) -> archive.PackManifest:
    first = tar.next()
    if first is None or first.name != archive.MANIFEST_NAME or first.type not in _PLAIN:
        raise ProtocolError(f"not a packed run: its first member is not {archive.MANIFEST_NAME}")
    if first.size > archive.MANIFEST_LIMIT:
        raise ProtocolError(f"its list of files is {first.size} bytes, over {archive.MANIFEST_LIMIT}")
    body = tar.extractfile(first)
    try:
        manifest = msgspec.json.decode(body.read() if body else b"", type=archive.PackManifest)
    except msgspec.DecodeError as error:
        raise ProtocolError(f"its list of files cannot be read: {error}") from error
    if manifest.format != 1:
        raise ProtocolError(f"it is of pack format {manifest.format}; this version reads format 1. Upgrade.")
    if not runs.is_run_id(manifest.run_id):
        raise ProtocolError(
            f"its run id {manifest.run_id[:40]!r} is not a ULID in capitals, as run ids are spelled"
        )
    return manifest


def _take_members(tar: tarfile.TarFile, awaited: dict[str, archive.PackedFile], folder: RunFolder) -> None:
    while (member := tar.next()) is not None:
        file = awaited.pop(member.name, None)
        if file is None:
            raise ProtocolError(
                f"refused {member.name[:80]!r}: it is not in the list of files, or comes twice"
            )
        if member.type not in _PLAIN or member.sparse is not None:
            raise ProtocolError(f"refused {member.name!r}: not a regular file")
        if member.size != file.size:
            raise ProtocolError(f"{member.name!r} holds {member.size} bytes, declared were {file.size}")
        body = tar.extractfile(member)
        if body is not None:
            _take(body, file, folder.path / member.name)
    if awaited:
        raise ProtocolError(f"{len(awaited)} declared files are missing, the first is {min(awaited)!r}")


def _take(body: IO[bytes], file: archive.PackedFile, target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, written = hashlib.sha256(), 0
    fd = open_regular(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(fd, "wb") as out:
        while chunk := body.read(archive.CHUNK):
            written += len(chunk)
            if written > file.size:
                raise ProtocolError(f"{file.path!r} is longer than declared")
            digest.update(chunk)
            if chunk.strip(b"\0"):
                out.write(chunk)
            else:
                out.seek(len(chunk), os.SEEK_CUR)  # what was dropped of a log takes no room here either
        out.truncate(written)
    if digest.hexdigest() != file.sha256:
        raise ProtocolError(f"{file.path!r} is damaged: its SHA-256 is not the declared one")


def _check_run(folder: RunFolder, source: Path) -> None:
    try:
        manifest = runs.read_manifest(folder)
    except (StoreError, ValueError, RecursionError) as error:
        raise ProtocolError(f"{source} holds no readable manifest.json: {error}") from error
    if manifest.spec.run_id != folder.run_id:
        raise ProtocolError(
            f"{source} says run {folder.run_id}, but its manifest says {manifest.spec.run_id!r}"
        )
    folder.journal.mkdir(mode=0o700, exist_ok=True)
    runs.mark_unkept(folder)


def _sync_tree(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            _sync_tree(path)
        else:
            fd = open_regular(path)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
    sync_folder(folder)


class _Counted(io.RawIOBase):
    """A stream that refuses to produce more than `limit` bytes: the end of every decompression bomb."""

    def __init__(self, source: zstandard.ZstdDecompressionReader, *, limit: int) -> None:
        self._source = source
        self.limit = limit
        self.taken = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._source.read(min(size, archive.CHUNK) if size >= 0 else archive.CHUNK)
        self.taken += len(data)
        if self.taken > self.limit:
            raise ProtocolError(f"it unpacks to more than the {self.limit} bytes it may have. Refused.")
        return data
