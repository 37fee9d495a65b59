"""The checkpoints of all runs, as their records tell. Opens none of them, other than to hash it on request.

A record comes from a run that may be a stranger's: a path in it that leaves the run's folder is shown only
for runs that were started here, and only regular files count, and folders where the record says it is one.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.artifacts import retention, trust
from mosaic.errors import StoreError, UsageError
from mosaic.protocol.rows import CheckpointRow, StoreSummary
from mosaic.runs import folder as run_folder
from mosaic.runs.lifecycle import judge
from mosaic.runs.listing import make_row, matching
from mosaic.store.reader import StoreReader
from mosaic.store.registry import read_entries
from mosaic_worker.common.hashing import hash_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import Manifest, RunRow

__all__ = ["Known", "everywhere", "find", "is_folder", "of_run", "run_of", "standing", "verified"]

_WHICH = re.compile(r"(?P<run>.+)(?::(?P<reason>final|best|last|stop)|@(?P<step>\d+))", re.DOTALL)
_LISTED = 12


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """One checkpoint and what is known of it without opening it."""

    run_id: str
    """Empty for a file of no run."""
    run_name: str
    path: Path
    row: CheckpointRow
    runner: str
    algorithm: str
    env_id: str
    trusted: bool
    """Whether these bytes may be loaded, also if loading them can run code."""
    intact: bool | None
    """Whether the file is there with the recorded bytes; None: there, with the right size, not hashed."""
    pruned: bool = False
    """It is gone by rule, or a later one took its place: nothing is wrong."""
    note: str = ""
    """Why it cannot be used, in a few words."""
    checkout: str = ""
    """Where the scripts lay that trained it, for runners that find theirs in a checkout."""

    @property
    def usable(self) -> bool:
        """Whether there is something to load."""
        return self.intact is not False

    @property
    def reason(self) -> str:
        """Why it was saved: cadence, best, final or stop; of a plain script's, nothing."""
        return str(self.row.meta.get("reason") or "")

    @property
    def played_by(self) -> str:
        """How a command of the user's own plays it, to be typed with that command in place of the example."""
        return f"mosaic eval {shlex.quote(str(self.path))} -- python play.py --weights {{checkpoint}}"


def of_run(root: DataRoot, run_id: str) -> list[Known]:
    """The checkpoints of one run, newest first. Empty when nothing of it is stored yet.

    Does not wait for ingest, as nothing here does; `mosaic.app.saved` does.

    Raises:
        StoreError: the run's store or manifest cannot be read.
    """
    folder = root.run(run_id)
    if not folder.store.exists():
        return []
    manifest = run_folder.read_manifest(folder)
    with StoreReader(folder) as reader:
        rows = reader.checkpoints()
    again = retention.repeated(rows)
    rows = [row for row in rows if row.seq not in again]
    if not rows:
        return []
    gone, replaced = retention.let_go(rows), retention.replaced(rows)
    own = trust.is_own_run(root, run_id)
    found = [
        _known(root, manifest, row, own=own, gone=row.seq in gone, replaced=replaced.get(row.seq, ""))
        for row in rows
    ]
    return found[::-1]


def everywhere(root: DataRoot) -> list[Known]:
    """The checkpoints of every run, newest first. Runs that cannot be read are left out."""
    found: list[Known] = []
    for run_id in _run_ids(root):
        with suppress(StoreError):
            found += of_run(root, run_id)
    found.sort(key=lambda known: (known.row.t, known.row.seq), reverse=True)
    return found


def find(root: DataRoot, text: str) -> Known:
    """The checkpoint meant by a file's path, or by `RUN`, `RUN@STEP`, `RUN:final|best|last|stop`.

    A run alone means its final checkpoint, or else its newest. A file of no run is hashed.

    Raises:
        UsageError: there is none like that, or it is not there any more.
    """
    name = run_of(text)
    if name is None:
        return _of_path(root, Path(text).expanduser().absolute())
    match = _WHICH.fullmatch(text)
    reason, step = (match["reason"], match["step"]) if match else (None, None)
    run = matching(_rows(root), name)
    found = of_run(root, run.run_id)
    if not found:
        raise UsageError(f"run {run.name or run.run_id} has saved no checkpoint")
    usable = [known for known in found if known.usable]
    if step is not None:
        wanted = [known for known in usable if known.row.step == int(step)]
    elif reason is not None and reason != "last":
        wanted = [known for known in usable if known.reason == reason]
    else:
        final = [known for known in usable if known.reason == "final"] if reason is None else []
        wanted = final or usable
    if wanted:
        return wanted[0]
    there = ", ".join(_short(known) for known in usable[:_LISTED]) or "none that is still there"
    raise UsageError(f"run {run.name or run.run_id} has no such checkpoint ({text}). It has: {there}")


def run_of(text: str) -> str | None:
    """The run that a text for `find` names; None when the text is a file's path."""
    if "/" in text or Path(text).is_file():
        return None
    match = _WHICH.fullmatch(text)
    return match["run"] if match else text


def verified(known: Known) -> Known:
    """The same, with its bytes compared with the record. Reads them; runs nothing of them."""
    if known.intact is not None:
        return known
    try:
        sha256 = _hash(known)
    except (UsageError, OSError) as error:
        return msgspec.structs.replace(known, intact=False, note=str(error))
    if sha256 == known.row.sha256:
        return msgspec.structs.replace(known, intact=True)
    return msgspec.structs.replace(known, intact=False, note="its bytes are not the recorded ones")


def standing(found: Sequence[Known]) -> list[Known]:
    """Those that a listing shows: without what was pruned by rule, renamed or written over."""
    return [known for known in found if not known.pruned]


def is_folder(row: CheckpointRow) -> bool:
    """Whether a whole folder was saved; its hash is that of its manifest (`mosaic_worker.common.hashing`)."""
    return isinstance(row.meta.get("files"), int)


def _hash(known: Known) -> str:
    if is_folder(known.row):
        return hash_folder(known.path, at_most_bytes=known.row.bytes).sha256
    return trust.hash_file(known.path, at_most=known.row.bytes).sha256


def _known(
    root: DataRoot, manifest: Manifest, row: CheckpointRow, *, own: bool, gone: bool, replaced: str
) -> Known:
    folder = root.run(manifest.spec.run_id).path
    path = folder / row.path
    inside = not Path(row.path).is_absolute() and ".." not in Path(row.path).parts
    note, pruned = _trouble(path, row) if inside or own else "it lies outside the run's folder", False
    if note and gone and not path.exists():
        note, pruned = "pruned: newer ones were kept", True
    elif replaced:
        note, pruned = replaced, True
    job = manifest.spec.job
    return Known(
        run_id=manifest.spec.run_id,
        run_name=manifest.spec.name,
        path=path,
        row=row,
        runner=_text(row, "runner") or (job.runner if job else ""),
        algorithm=_text(row, "algorithm") or (job.algorithm if job else ""),
        env_id=_text(row, "env_id") or (job.env_id if job else ""),
        trusted=row.sha256 is not None and (own or trust.is_trusted(root, row.sha256)),
        intact=False if note else None,
        pruned=pruned,
        note=note,
        checkout=job.checkout if job else "",
    )


def _trouble(path: Path, row: CheckpointRow) -> str:
    try:
        info = path.stat()
    except OSError as error:
        return f"it is not there: {error.strerror}"
    if is_folder(row):
        return "" if stat.S_ISDIR(info.st_mode) else "it is not a folder"
    if not stat.S_ISREG(info.st_mode):
        return "it is not a regular file"
    if row.bytes is not None and info.st_size != row.bytes:
        return f"it has {info.st_size} bytes, recorded were {row.bytes}"
    return ""


def _text(row: CheckpointRow, name: str) -> str:
    found: Any = row.meta.get(name)
    return found if isinstance(found, str) else ""


def _short(known: Known) -> str:
    step = "" if known.row.step is None else f"@{known.row.step}"
    return f"{known.reason or known.path.name}{step}"


def _of_path(root: DataRoot, path: Path) -> Known:
    if not path.is_file():
        raise UsageError(f"there is no file {path}. List the checkpoints of all runs: mosaic checkpoints")
    real = path.resolve()
    for known in everywhere(root):
        if not known.pruned and known.path.resolve() == real:
            return known
    found = trust.hash_file(path)
    row = CheckpointRow(
        path=str(path), sha256=found.sha256, bytes=found.bytes, step=None, kind=None, t=path.stat().st_mtime
    )
    return Known(
        run_id="",
        run_name="",
        path=path,
        row=row,
        runner="",
        algorithm="",
        env_id="",
        trusted=trust.is_trusted(root, found.sha256),
        intact=True,
    )


def _run_ids(root: DataRoot) -> list[str]:
    try:
        names = os.listdir(root.runs)  # noqa: PTH208  (names alone, for thousands of runs)
    except FileNotFoundError:
        return []
    return sorted((name for name in names if run_folder.is_run_id(name)), reverse=True)


def _rows(root: DataRoot) -> list[RunRow]:
    """One row per run: from the registry, or from the folder where that does not know it."""
    listed = {entry.row.run_id: entry.row for entry in read_entries(root.registry)}
    found = []
    for run_id in _run_ids(root):
        if run_id in listed:
            found.append(listed[run_id])
            continue
        with suppress(StoreError):
            manifest = run_folder.read_manifest(root.run(run_id))
            seen = run_folder.observe(root.run(run_id))
            found.append(make_row(manifest, seen, judge(seen), StoreSummary()))
    return found
