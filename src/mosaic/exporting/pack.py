"""One run as one file, streamed: memory stays flat whatever its size. Reads the folder, changes nothing."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from typing import TYPE_CHECKING

import msgspec
import zstandard

from mosaic import __version__
from mosaic.errors import MosaicError, UsageError
from mosaic.exporting import archive
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = ["pack"]

_LEVEL = 6


def pack(
    folder: RunFolder, target: Path, *, force: bool = False, on_file: Callable[[int, int], None] | None = None
) -> list[Path]:
    """Write an ended run into one file.

    Args:
        folder: The run; nothing may write to it any more.
        target: The file to make.
        force: Replace a file that is there already.
        on_file: Called with (files done, files in all) after each.

    Returns:
        What was left out because it is not a regular file.

    Raises:
        UsageError: the target exists.
        MosaicError: the run changed meanwhile.
    """
    if target.exists() and not force:
        raise UsageError(f"{target} exists already. Choose another name with -o, or add --force.")
    taken, left = archive.own_files(folder)
    listed = [
        archive.PackedFile(
            path.relative_to(folder.path).as_posix(), path.lstat().st_size, archive.hash_file(path)
        )
        for path in taken
    ]
    archive.checked_names(listed)
    manifest = archive.PackManifest(run_id=folder.run_id, files=listed, mosaic_version=__version__)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with (
            os.fdopen(fd, "wb") as raw,
            zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).stream_writer(
                raw, closefd=False
            ) as out,
            tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as tar,
        ):
            _add_bytes(tar, archive.MANIFEST_NAME, msgspec.json.encode(manifest))
            for done, (file, path) in enumerate(zip(listed, taken, strict=True), start=1):
                _add_file(tar, file, path)
                if on_file:
                    on_file(done, len(listed))
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return left


def _add_bytes(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    member.mode = 0o600
    tar.addfile(member, io.BytesIO(data))


def _add_file(tar: tarfile.TarFile, file: archive.PackedFile, path: Path) -> None:
    member = tarfile.TarInfo(file.path)
    member.size = file.size
    member.mode = 0o600
    with os.fdopen(open_regular(path), "rb") as source:
        hashing = _Hashing(source)
        try:
            tar.addfile(member, hashing)
        except OSError as error:
            if "unexpected end" not in str(error):
                raise
            raise MosaicError(f"{path} became shorter while it was packed. Try again.") from error
    if hashing.digest.hexdigest() != file.sha256:
        raise MosaicError(f"{path} changed while it was packed. Try again when nothing writes to the run.")


class _Hashing(io.RawIOBase):
    """A file that remembers the hash of what was read from it."""

    def __init__(self, source: io.BufferedReader) -> None:
        self._source = source
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._source.read(size)
        self.digest.update(data)
        return data
