"""The form of a packed run: its first member, which names may be in it, and whether two runs are the same.

A `.mosaic.tar.zst` is a zstd-compressed tar. Its first member is `mosaic-pack.json`; the others are the run's
own files, under run-relative names. The store and the locks stay out: they are made anew.
"""

from __future__ import annotations

import hashlib
import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO

import msgspec
import zstandard

from mosaic.errors import ProtocolError

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = [
    "CHUNK", "MANIFEST_LIMIT", "MANIFEST_NAME", "MAX_WINDOW", "SUFFIX",
    "PackManifest", "PackedFile", "checked_name", "contents", "hash_file", "own_files",
]  # fmt: skip

SUFFIX = ".mosaic.tar.zst"
MANIFEST_NAME = "mosaic-pack.json"
MANIFEST_LIMIT = 64 << 20
"""A first member larger than this is refused unread."""
MAX_WINDOW = 1 << 27
"""The most memory a compressed stream may ask for."""
CHUNK = 1 << 20
_MAX_NAME = 1024
_MADE_ANEW = {
    "telemetry.sqlite", "telemetry.sqlite-wal", "telemetry.sqlite-shm", "telemetry.sqlite-journal",
    "shim.lock", "tree.lock", "ingest.lock", "control.json", "synced",
}  # fmt: skip


class PackedFile(msgspec.Struct, frozen=True):
    """One file of a packed run."""

    path: str
    size: int
    sha256: str


class PackManifest(msgspec.Struct, frozen=True, kw_only=True):
    """The first member of a packed run."""

    format: int = 1
    run_id: str
    files: list[PackedFile]
    mosaic_version: str = ""


def checked_name(name: str) -> PurePosixPath:
    """A run-relative name, when it is one.

    Raises:
        ProtocolError: it is absolute, climbs out, is hidden, too long, or no name at all.
    """
    parts = name.split("/")
    if (
        not name
        or len(name) > _MAX_NAME
        or not name.isprintable()
        or "\\" in name
        or any(part in ("", ".", "..") or len(part.encode("utf-8", "replace")) > 255 for part in parts)
    ):
        raise ProtocolError(
            f"refused a file named {name[:80]!r}: only plain names inside the run may be packed"
        )
    if parts[0] in _MADE_ANEW:
        raise ProtocolError(f"refused a file named {name!r}: locks and stores are made anew, never imported")
    return PurePosixPath(name)


def own_files(folder: RunFolder) -> tuple[list[Path], list[Path]]:
    """The regular files of a run that travel with it, and what is left out (links, sockets, devices)."""
    taken: list[Path] = []
    left: list[Path] = []
    for path in _walk(folder.path):
        relative = path.relative_to(folder.path)
        if relative.parts[0] in _MADE_ANEW or path.name.endswith(".tmp"):
            continue
        (taken if stat.S_ISREG(path.lstat().st_mode) else left).append(path)
    return taken, left


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if stat.S_ISDIR(path.lstat().st_mode):
            yield from _walk(path)
        else:
            yield path


def hash_file(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def contents(folder: RunFolder) -> dict[str, str]:
    """What the run holds, whatever form it is in: sealed segments count by their text.

    The manifest is left out, because each machine writes its own history into it; so are empty files.
    """
    found = {}
    for path in own_files(folder)[0]:
        name = path.relative_to(folder.path).as_posix()
        if name in ("manifest.json", "proc.json", "quarantine.jsonl") or path.stat().st_size == 0:
            continue
        if name.startswith("journal/") and name.endswith((".jsonl", ".jsonl.zst")):
            found[name.removesuffix(".zst")] = _hash_text(path)
        else:
            found[name] = hash_file(path)
    return found


def _hash_text(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        source: BinaryIO | io.RawIOBase = file
        if path.suffix == ".zst":
            source = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).stream_reader(file)
        while chunk := source.read(CHUNK):
            digest.update(chunk.replace(b"\0", b""))
    return digest.hexdigest()
