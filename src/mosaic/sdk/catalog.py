"""The runs of a data root, as they are now, read from its files. Needs no daemon and starts none.

States of runs that have not ended are judged from their folders, so they are right even when nobody keeps the
registry; runs that are in no registry (it was deleted, a folder was copied in) are listed as well.
"""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING, Any

from mosaic.errors import AmbiguousRunError, RunNotFoundError, StoreError
from mosaic.protocol.runs import RunRow, RunState
from mosaic.runs import folder as run_folder
from mosaic.runs.files import make_private
from mosaic.runs.lifecycle import judge
from mosaic.runs.locks import held

if TYPE_CHECKING:
    from collections.abc import Sequence

    import msgspec

    from mosaic.paths import DataRoot
    from mosaic.protocol.rows import StoreSummary

__all__ = ["checked", "find", "matching", "row_of", "rows"]

_SUGGESTIONS = 3
_LISTED = 8


def checked(root: DataRoot) -> DataRoot:
    """The data root, when it is ours alone or not there yet.

    Raises:
        DataRootError: it is open to others, somebody else's, or not writable.
    """
    if root.path.exists():
        make_private(root.path)
    return root


def rows(root: DataRoot) -> list[RunRow]:
    """Every run, newest first."""
    from mosaic.store.registry import read_entries

    names = {name for name in _names(root) if run_folder.is_run_id(name)}
    if not names:
        return []
    listed = {entry.row.run_id: entry for entry in read_entries(root.registry) if entry.row.run_id in names}
    found = [entry.row for entry in listed.values() if entry.settled]
    for name in names:
        entry = listed.get(name)
        if entry is None or not entry.settled:
            row = _current(root, name, entry.row if entry else None)
            found += [] if row is None else [row]
    found.sort(key=lambda row: (row.created, row.run_id), reverse=True)
    return found


def row_of(root: DataRoot, run_id: str) -> RunRow:
    """One run, straight from its folder.

    Raises:
        RunNotFoundError: there is no such folder, or it holds no manifest.
    """
    found = _current(root, run_id, None)
    if found is None:
        raise RunNotFoundError(f"run {run_id} is gone")
    return found


def find(root: DataRoot, text: str) -> RunRow:
    """The one run meant by an id, a unique prefix of one, a name, or `last`.

    Raises:
        RunNotFoundError: none is meant.
        AmbiguousRunError: several are.
    """
    if run_folder.is_run_id(text.upper()):
        found = _current(root, text.upper(), None)
        if found is not None:
            return found
    every = rows(root)
    return row_of(root, matching(every, text).run_id)


def matching(every: Sequence[RunRow], text: str) -> RunRow:
    """The one row meant by a text; `every` is newest first. Pure.

    Raises:
        RunNotFoundError: none is meant.
        AmbiguousRunError: several are.
    """
    if not every:
        raise RunNotFoundError("there are no runs yet. Start one with: mosaic run -- python train.py")
    if text == "last":
        return every[0]
    upper = text.upper()
    for row in every:
        if row.run_id == upper:
            return row
    found = [row for row in every if text and (row.name == text or row.run_id.startswith(upper))]
    if len(found) == 1:
        return found[0]
    if not found:
        raise RunNotFoundError(_nothing_like(every, text))
    listed = "".join(f"\n  {row.run_id}  {row.state.value:<9} {row.name}".rstrip() for row in found[:_LISTED])
    more = f"\n  and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    raise AmbiguousRunError(f"{len(found)} runs match {text!r}; give more of the id:{listed}{more}")


def _nothing_like(every: Sequence[RunRow], text: str) -> str:
    near = difflib.get_close_matches(
        text, {row.name for row in every if row.name}, n=_SUGGESTIONS, cutoff=0.6
    )
    if not near:
        near = difflib.get_close_matches(
            text.upper(), [row.run_id for row in every], n=_SUGGESTIONS, cutoff=0.6
        )
    hint = f"Did you mean {' or '.join(repr(name) for name in near)}?" if near else "See: mosaic ls"
    return f"no run has the id, prefix or name {text!r}. {hint}"


def _names(root: DataRoot) -> list[str]:
    try:
        return os.listdir(root.runs)  # noqa: PTH208  (names alone, for thousands of runs)
    except FileNotFoundError:
        return []


def _current(root: DataRoot, run_id: str, known: RunRow | None) -> RunRow | None:
    """The row as it is now; None for a folder that is no run (yet, or any more)."""
    folder = root.run(run_id)
    try:
        manifest = run_folder.read_manifest(folder)
    except StoreError:
        return known
    seen = run_folder.observe(folder)
    state, reason = judge(seen).state, judge(seen).reason
    if state is RunState.LOST and seen.proc is None and held(root.daemon_lock):
        # SYNC: the daemon makes the folder before it starts the shim; until proc.json is there, ask nobody
        # else whether that is still going on: the daemon would have written its own verdict otherwise.
        state, reason = RunState.STARTING, "being submitted"
    counted = _summary(root, run_id)
    return RunRow(
        run_id=run_id,
        name=manifest.spec.name,
        state=state,
        reason=reason,
        created=manifest.created,
        command=manifest.spec.command,
        tags=manifest.spec.tags,
        exit=seen.exit,
        started=seen.proc.started if seen.proc else None,
        ended=seen.exit.t if seen.exit else None,
        **_counts(counted, known),
    )


_COUNTED = ("episodes", "steps", "metrics", "quarantined", "store_seq", "last_return", "steps_per_sec")


def _counts(counted: StoreSummary | None, known: RunRow | None) -> dict[str, Any]:
    source: msgspec.Struct | None = counted if counted is not None else known
    return {} if source is None else {name: getattr(source, name) for name in _COUNTED}


def _summary(root: DataRoot, run_id: str) -> StoreSummary | None:
    from mosaic.store.reader import StoreReader

    try:
        with StoreReader(root.run(run_id)) as reader:
            return reader.summary()
    except StoreError:
        return None  # no store yet, or one that must be rebuilt: reading the run will say so
