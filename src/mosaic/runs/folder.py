"""A run's folder: its records, written whole or not at all, and one honest look at it.

Refuses to guess, and to trust what lies there: a record or lock that is there and cannot be read is told of
as such (`Seen.bad`). Nothing is followed out of the folder, and no look raises.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from typing import TYPE_CHECKING, TypeVar

import msgspec

from mosaic import __version__
from mosaic.errors import StoreError, UsageError
from mosaic.protocol.runs import (
    ENDED,
    Control,
    ExitRecord,
    Manifest,
    ProcRecord,
    RunSpec,
    RunState,
    ScriptRecord,
)
from mosaic.runs.files import make_private, read_json, sync_folder, write_json
from mosaic.runs.keeper import replaced_lock
from mosaic.runs.lifecycle import Seen
from mosaic.runs.locks import held
from mosaic_worker.common.opening import open_folder, open_regular

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.paths import DataRoot, RunFolder

__all__ = [
    "create",
    "ended",
    "find_manifest",
    "is_over",
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
    manifest = find_manifest(folder)
    if manifest is None:
        raise StoreError(f"{folder.path} is not a run: it has no manifest.json")
    return manifest


def find_manifest(folder: RunFolder) -> Manifest | None:
    """The manifest of a run; None for a folder that has none: not a run yet, or no longer.

    Raises:
        StoreError: something is there, and it is no manifest of this run.
    """
    try:
        fd = open_folder(folder.path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{folder.path} cannot be read: {error.strerror}") from error
    try:
        manifest = read_json("manifest.json", Manifest, dir_fd=fd)
    except (msgspec.DecodeError, OSError) as error:
        raise StoreError(f"{folder.manifest} cannot be read: {_why(error)}") from error
    finally:
        os.close(fd)
    if manifest is not None and manifest.spec.run_id != folder.run_id:
        raise StoreError(f"{folder.manifest} is of another run: {manifest.spec.run_id[:40]!r}")
    return manifest


def write_manifest(folder: RunFolder, manifest: Manifest) -> None:
    """Replace the manifest."""
    write_json(folder.manifest, manifest)


def read_exit(folder: RunFolder) -> ExitRecord | None:
    """How the worker ended, once it has; None also when that cannot be read."""
    return observe(folder).exit


def read_proc(folder: RunFolder) -> ProcRecord | None:
    """What the shim started, once it has; None also when that cannot be read."""
    return observe(folder).proc


def read_control(folder: RunFolder) -> Control | None:
    """The standing order to the shim; None when there is none, or none that can be read."""
    return observe(folder).control


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
    fd = open_regular(path, os.O_WRONLY)
    try:
        os.pwrite(fd, data.ljust(os.fstat(fd).st_size), 0)
    finally:
        os.close(fd)


def observe(folder: RunFolder) -> Seen:
    """One look at a run's folder. Takes no lock, changes nothing, raises nothing."""
    try:
        fd = open_folder(folder.path)
    except FileNotFoundError:
        return Seen()
    except OSError as error:
        return Seen(bad={"folder": f"{folder.path}: {error.strerror}"})
    try:
        return _look(fd)
    finally:
        os.close(fd)


def is_over(folder: RunFolder, state: RunState) -> bool:
    """Whether nothing of a run in that state is left.

    An unreadable one may still live: its locks have the word, where they can be asked.
    """
    if state is not RunState.UNREADABLE:
        return state in ENDED
    seen = observe(folder)
    asked = not {"folder", "shim.lock", "tree.lock"} & seen.bad.keys()
    return asked and not seen.shim_alive and not seen.tree_alive


def _look(fd: int) -> Seen:
    bad: dict[str, str] = {}

    def attempt(name: str, look: Callable[[], T], otherwise: T, *, tries: int = 2) -> T:
        try:
            return look()
        except (msgspec.DecodeError, OSError) as error:
            # SYNC: an order written on a full disk is not replaced but overwritten: it may be caught half
            # written once, not twice.
            if tries > 1:
                return attempt(name, look, otherwise, tries=tries - 1)
            bad[name] = f"{name} cannot be read: {_why(error)}"
            return otherwise

    # SYNC: locks before exit.json. The shim writes exit.json before it lets its lock go, so "no lock", then
    # "no exit.json" is the truth, whenever the shim ends. The other order could call a finished run lost.
    shim_alive = attempt("shim.lock", lambda: held("shim.lock", dir_fd=fd), otherwise=False)
    tree_alive = attempt("tree.lock", lambda: held("tree.lock", dir_fd=fd), otherwise=False)
    control = attempt("control.json", lambda: read_json("control.json", Control, dir_fd=fd), None)
    proc = attempt("proc.json", lambda: read_json("proc.json", ProcRecord, dir_fd=fd), None)
    exit_ = attempt("exit.json", lambda: read_json("exit.json", ExitRecord, dir_fd=fd), None)
    if not shim_alive and exit_ is None and proc is not None and replaced_lock(proc, fd):
        bad["shim.lock"] = (
            f"shim.lock is not the file that its shim, process {proc.shim_pid}, holds: somebody replaced it"
        )
    attempt("journal", lambda: _check_journal(fd), None)
    return Seen(shim_alive=shim_alive, tree_alive=tree_alive, control=control, proc=proc, exit=exit_, bad=bad)


def _check_journal(fd: int) -> None:
    """The journal is a folder of this one, not what a link leads to."""
    try:
        kind = os.lstat("journal", dir_fd=fd).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(kind):
        os.close(open_folder("journal", dir_fd=fd))  # says what it is


def _why(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def ended(folder: RunFolder) -> bool:
    """Whether no process of the run is left, and none will come: then its store may settle.

    A folder that never had a keeper (no lock, no exit record) has not: its keeper is still to come. A lock
    that cannot be asked says nothing, so then it has not either.
    """
    try:
        if os.path.lexists(folder.exit):
            return not held(folder.tree_lock)
        if not os.path.lexists(folder.shim_lock) or held(folder.shim_lock) or held(folder.tree_lock):
            return False
        return "shim.lock" not in observe(folder).bad
    except OSError:
        return False


def mark_unkept(folder: RunFolder) -> None:
    """Say of a folder that came from elsewhere that nobody keeps it: it has ended, exit record or not."""
    os.close(open_regular(folder.shim_lock, os.O_RDWR | os.O_CREAT))
