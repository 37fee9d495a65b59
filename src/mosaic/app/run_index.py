"""The runs of a data root, as they are now, read from its files. Needs no daemon and starts none.

States of runs that have not ended are judged from their folders, so they are right even when nobody keeps the
registry; runs that are in no registry (it was deleted, a folder was copied in) are listed as well. A folder
that cannot be read is one row, `unreadable` with the reason; it hides no other.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from mosaic.errors import RunNotFoundError, StoreError
from mosaic.protocol.rows import StoreSummary
from mosaic.protocol.runs import ENDED, RunState
from mosaic.runs import folder as run_folder
from mosaic.runs.files import can_only_read, check_private
from mosaic.runs.lifecycle import Verdict, judge
from mosaic.runs.listing import last_line, make_row, matching, unreadable_row
from mosaic_worker.common.opening import check_regular

if TYPE_CHECKING:
    from mosaic.paths import DataRoot, RunFolder
    from mosaic.protocol.runs import RunRow

__all__ = ["checked", "find", "row_of", "rows"]


def checked(root: DataRoot) -> DataRoot:
    """The data root, when it is ours alone, can only be read, or is not there yet.

    Raises:
        DataRootError: it is open to others, or somebody else's, and could be written to.
    """
    if root.path.exists() and not can_only_read(root.path):
        check_private(root.path)
    return root


def rows(root: DataRoot) -> list[RunRow]:
    """Every run, newest first."""
    from mosaic.store.registry import read_entries

    names = {name for name in _names(root) if run_folder.is_run_id(name)}
    if not names:
        return []
    listed = {entry.row.run_id: entry for entry in read_entries(root.registry) if entry.row.run_id in names}
    final = {name for name, entry in listed.items() if entry.settled and _still_files(root, entry.row)}
    found = [listed[name].row for name in final]
    for name in names:
        if name not in final:
            row = _current(root, name)
            found += [] if row is None else [row]
    found.sort(key=lambda row: (row.created, row.run_id), reverse=True)
    return found


def row_of(root: DataRoot, run_id: str) -> RunRow:
    """One run, straight from its folder.

    Raises:
        RunNotFoundError: there is no such folder, or it holds no manifest.
    """
    found = _current(root, run_id)
    if found is None:
        raise RunNotFoundError(f"run {run_id} is gone: its folder or its manifest was deleted")
    return found


def find(root: DataRoot, text: str) -> RunRow:
    """The one run meant by an id, a unique prefix of one, a name, or `last`.

    Raises:
        RunNotFoundError: none is meant.
        AmbiguousRunError: several are.
    """
    if run_folder.is_run_id(text.upper()):
        found = _current(root, text.upper())
        if found is not None:
            return found
    return row_of(root, matching(rows(root), text).run_id)


def _names(root: DataRoot) -> list[str]:
    try:
        return os.listdir(root.runs)  # noqa: PTH208  (names alone, for thousands of runs)
    except FileNotFoundError:
        return []


def _still_files(root: DataRoot, row: RunRow) -> bool:
    """Whether the records of a run that is settled are still files: two looks, for thousands of runs."""
    folder = root.run(row.run_id)
    records = (folder.manifest,) if row.exit is None else (folder.manifest, folder.exit)
    try:
        return all(stat.S_ISREG(path.lstat().st_mode) for path in records)
    except OSError:
        return False


def _current(root: DataRoot, run_id: str) -> RunRow | None:
    """The row as it is now; None for a folder that is not a run (yet, or any more)."""
    try:
        return _judged(root.run(run_id))
    except StoreError as error:
        return unreadable_row(run_id, str(error))
    except Exception as error:  # noqa: BLE001  (whatever lies in one folder, the others are listed)
        return unreadable_row(run_id, f"{type(error).__name__}: {error}")


def _judged(folder: RunFolder) -> RunRow | None:
    manifest = run_folder.find_manifest(folder)
    if manifest is None:
        return None
    seen = run_folder.observe(folder)
    verdict = judge(seen)
    if verdict.state is RunState.FAILED and (said := last_line(folder.stderr)):
        verdict = Verdict(verdict.state, f"{verdict.reason}: {said}")
    ended = next((change.t for change in manifest.history if change.state is verdict.state), None)
    if verdict.state not in ENDED:
        ended = None
    return make_row(manifest, seen, verdict, _summary(folder), ended=ended)


def _summary(folder: RunFolder) -> StoreSummary:
    from mosaic.store.glance import glance

    try:
        for suffix in ("", "-wal", "-shm"):
            check_regular(f"{folder.store}{suffix}")
        return glance(folder) or StoreSummary()
    except OSError:
        return StoreSummary()  # a damaged one is told of, and mended, by who reads the run
