"""The form of a packed run: its first member, which names may be in it, and whether two runs are the same.

A `.mosaic.tar.zst` is a zstd-compressed tar. Its first member is `mosaic-pack.json`; the others are the run's
own files, under run-relative names. The store and the locks stay out: they are made anew.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from mosaic.errors import ProtocolError
from mosaic.store.blocks import SealedFile
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = [
    "CHUNK", "MANIFEST_LIMIT", "MANIFEST_NAME", "MAX_FILES", "MAX_WINDOW", "SUFFIX",
    "PackManifest", "PackedFile", "checked_name", "checked_names", "contents", "hash_file", "own_files",
]  # fmt: skip

SUFFIX = ".mosaic.tar.zst"
MANIFEST_NAME = "mosaic-pack.json"
MANIFEST_LIMIT = 64 << 20
"""A first member larger than this is refused unread."""
MAX_WINDOW = 1 << 27
"""The most memory a compressed stream may ask for."""
MAX_FILES = 100_000
CHUNK = 1 << 20
_MAX_NAME_BYTES = 1024
_MAX_DEPTH = 32
_MADE_ANEW = {
    "telemetry.sqlite", "telemetry.sqlite-wal", "telemetry.sqlite-shm", "telemetry.sqlite-journal",
    "shim.lock", "tree.lock", "ingest.lock", "control.json", "synced",
}  # fmt: skip
_RECORDS = {"manifest.json", "exit.json", "proc.json", "stdout.log", "stderr.log", "quarantine.jsonl"}
_OURS = {name.casefold(): name for name in (*_MADE_ANEW, *_RECORDS, "journal")}


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
        ProtocolError: it is absolute, climbs out, is hidden, too long or too deep, no name at all, or the
            name of something of ours in another spelling or form.
    """
    parts = name.split("/")
    if (
        not name.isprintable()
        or "\\" in name
        or len(name.encode("utf-8", "replace")) > _MAX_NAME_BYTES
        or len(parts) > _MAX_DEPTH
        or any(part in ("", ".", "..") or len(part.encode("utf-8", "replace")) > 255 for part in parts)
    ):
        raise ProtocolError(
            f"refused a file named {name[:80]!r}: only plain names inside the run may be packed"
        )
    if parts[0] in _MADE_ANEW:
        raise ProtocolError(f"refused a file named {name!r}: locks and stores are made anew, never imported")
    ours = _OURS.get(parts[0].casefold(), parts[0])
    if parts[0] != ours or len(parts) not in _depths(ours):
        raise ProtocolError(f"refused a file named {name!r}: {ours} means something else in a run")
    return PurePosixPath(name)


def _depths(top: str) -> range:
    """How many parts a name may have that begins so: a record is a file, the journal a folder of files."""
    if top in _RECORDS:
        return range(1, 2)
    return range(2, 3) if top == "journal" else range(1, _MAX_DEPTH + 1)


def checked_names(files: list[PackedFile]) -> dict[str, PackedFile]:
    """What a pack lists, by name.

    Raises:
        ProtocolError: too many files, a name twice, a file that is a folder too, a size below zero.
    """
    if len(files) > MAX_FILES:
        raise ProtocolError(f"it lists {len(files)} files, over the limit of {MAX_FILES}")
    named = {str(checked_name(file.path)): file for file in files}
    if len(named) != len(files):
        raise ProtocolError("it lists a file twice")
    for name in named:
        for folder in PurePosixPath(name).parents:
            if str(folder) in named:
                raise ProtocolError(f"refused {name!r}: {str(folder)!r} is listed as a file")
    if any(file.size < 0 for file in files):
        raise ProtocolError("it declares a negative size")
    return named


def own_files(folder: RunFolder) -> tuple[list[Path], list[Path]]:
    """The regular files of a run that travel with it, and what is left out (links, sockets, devices)."""
    taken: list[Path] = []
    left: list[Path] = []
    for path in _walk(folder.path):
        relative = path.relative_to(folder.path)
        top = relative.parts[0]
        if top in _MADE_ANEW or top.startswith("telemetry.sqlite.") or path.name.endswith(".tmp"):
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
    with os.fdopen(open_regular(path), "rb") as file:
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
    with os.fdopen(open_regular(path), "rb") as file:
        sealed = SealedFile(file.fileno()) if path.suffix == ".zst" else None
        at = 0
        while chunk := file.read(CHUNK) if sealed is None else sealed.read(at, CHUNK):
            digest.update(chunk.replace(b"\0", b""))
            at += len(chunk)
    return digest.hexdigest()
