"""A run's folder: its records, written whole or not at all, and one honest look at it.

Refuses to guess: a record that cannot be read counts as missing, and then the locks decide.
"""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING, TypeVar

import msgspec

from mosaic import __version__
from mosaic.errors import StoreError, UsageError
from mosaic.protocol.runs import Control, ExitRecord, Manifest, ProcRecord, RunSpec, ScriptRecord
from mosaic.runs.files import make_private, read_json, sync_folder, write_json
from mosaic.runs.lifecycle import Seen
from mosaic.runs.locks import held

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import DataRoot, RunFolder

__all__ = [
    "create",
    "ended",
    "is_run_id",
    "mark_unkept",
    "observe",
    "prepare",
    "read_control",
    "read_exit",
    "read_manifest",
    "read_proc",
    "write_control",
    "write_manifest",
]

T = TypeVar("T")

_RUN_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def is_run_id(text: str) -> bool:
    """Whether this is a ULID in its canonical spelling: safe as a folder's name."""
    return _RUN_ID.fullmatch(text) is not None


def prepare(root: DataRoot, run_id: str) -> RunFolder:
    """The private folders of a run, without a manifest: until that is written there is no run.

    Raises:
        UsageError: the run id is not a ULID.
        DataRootError: the data root is not ours alone, or not writable.
    """
    if not is_run_id(run_id):
        raise UsageError(f"run id {run_id[:40]!r} is not a ULID (26 characters of Crockford's base 32)")
    folder = root.run(run_id)
    for path in (root.path, root.runs, folder.path, folder.journal):
        make_private(path)
    return folder


def create(root: DataRoot, spec: RunSpec, *, created: float, script: ScriptRecord | None = None) -> RunFolder:
    """The folder of a new run: private, with an empty journal and a manifest. Again = the same, unchanged.

    Raises:
        UsageError: the run id is not a ULID, or the command is empty.
        DataRootError: the data root is not ours alone, or not writable.
    """
    if not spec.command:
        raise UsageError("the command is empty. Say what to run, for example: mosaic run -- python train.py")
    folder = prepare(root, spec.run_id)
    if not folder.manifest.exists():
        write_manifest(
            folder,
            Manifest(
                spec=spec,
                created=created,
                mosaic_version=__version__,
                host=os.uname().nodename,
                script=script,
            ),
        )
        for names in (root.runs, root.path):  # the run's own name; the manifest brought the rest to the disk
            sync_folder(names)
    return folder


def read_manifest(folder: RunFolder) -> Manifest:
    """The manifest of a run.

    Raises:
        StoreError: there is none, or it cannot be read.
    """
    try:
        manifest = read_json(folder.manifest, Manifest)
    except (msgspec.DecodeError, OSError) as error:
        raise StoreError(f"{folder.manifest} cannot be read: {error}") from error
    if manifest is None:
        raise StoreError(f"{folder.path} is not a run: it has no manifest.json")
    return manifest


def write_manifest(folder: RunFolder, manifest: Manifest) -> None:
    """Replace the manifest."""
    write_json(folder.manifest, manifest)


def read_exit(folder: RunFolder) -> ExitRecord | None:
    """How the worker ended, once it has."""
    return _read(folder.exit, ExitRecord)


def read_proc(folder: RunFolder) -> ProcRecord | None:
    """What the shim started, once it has."""
    return _read(folder.proc, ProcRecord)


def read_control(folder: RunFolder) -> Control | None:
    """The standing order to the shim."""
    return _read(folder.control, Control)


def write_control(folder: RunFolder, control: Control) -> None:
    """Give the shim a new standing order. Works on a full disk too: a run must stay stoppable there."""
    try:
        write_json(folder.control, control, synced=False)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        _overwrite(folder.control, msgspec.json.encode(control))


def _overwrite(path: Path, data: bytes) -> None:
    # SYNC: the block is allocated already, so no room is needed; a shim that reads a torn order finds it is
    # no JSON and looks again at its next poll.
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        os.pwrite(fd, data.ljust(os.fstat(fd).st_size), 0)
    finally:
        os.close(fd)


def observe(folder: RunFolder) -> Seen:
    """One look at a run's folder. Takes no lock and changes nothing."""
    # SYNC: locks before exit.json. The shim writes exit.json before it lets its lock go, so "no lock", then
    # "no exit.json" is the truth, whenever the shim ends. The other order could call a finished run lost.
    shim_alive = held(folder.shim_lock)
    tree_alive = held(folder.tree_lock)
    control, proc = read_control(folder), read_proc(folder)
    return Seen(
        shim_alive=shim_alive, tree_alive=tree_alive, control=control, proc=proc, exit=read_exit(folder)
    )


def ended(folder: RunFolder) -> bool:
    """Whether no process of the run is left, and none will come: then its store may settle.

    A folder that never had a keeper (no lock, no exit record) has not: its keeper is still to come.
    """
    if folder.exit.exists():
        return not held(folder.tree_lock)
    return folder.shim_lock.exists() and not held(folder.shim_lock) and not held(folder.tree_lock)


def mark_unkept(folder: RunFolder) -> None:
    """Say of a folder that came from elsewhere that nobody keeps it: it has ended, exit record or not."""
    folder.shim_lock.touch(mode=0o600)


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        return read_json(path, kind)
    except msgspec.DecodeError:
        return None
