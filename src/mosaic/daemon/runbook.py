"""What the daemon knows of every run: manifest, state as last seen, row; and the registry of the rows.

A cache with one rule: the folder is the truth. A state enters the manifest's history only when it changed. On
a full disk nothing here fails: what could not be written is tried again at the next turn. A run that its
place cannot see keeps its last state, and is looked at again. One whose folder cannot be read is a row with
the reason; nothing is written into it, and it harms no other. Of a run that is going, readers ask its folder,
not the registry: so its growing numbers are written there now and then, and all else at once.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from mosaic.daemon.places.base import Sight
from mosaic.errors import RunNotFoundError, StoreError
from mosaic.protocol.rows import StoreSummary
from mosaic.protocol.runs import ENDED, Manifest, RunRow, RunState, StateChange
from mosaic.runs import folder as runs
from mosaic.runs.lifecycle import Verdict
from mosaic.runs.listing import last_line, make_row, unknown_manifest
from mosaic.store.registry import Entry, Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mosaic.daemon.guard import Guard
    from mosaic.daemon.ingest_link import News
    from mosaic.paths import DataRoot, RunFolder

__all__ = ["Run", "RunBook"]

_log = logging.getLogger(__name__)


@dataclass
class Run:
    """One run as the daemon knows it."""

    folder: RunFolder
    manifest: Manifest
    row: RunRow
    sight: Sight = field(default_factory=Sight)
    looked: bool = False
    unseen: str = ""
    """Why the latest look at it failed; nothing when it did not."""
    summary: StoreSummary = field(default_factory=StoreSummary)
    settled: bool = False
    watched: bool = False
    """Ingest follows it, as far as the trainer has ordered."""
    damaged: str = ""
    """Why its manifest cannot be read; nothing when it can."""
    stamp: tuple[int, int] | None = None
    """Which file its manifest was when we last read it; None: to be read again, for we wrote it."""
    unsaved: bool = False

    @property
    def state(self) -> RunState:
        """Where it stood at the last look."""
        return self.row.state

    @property
    def closed(self) -> bool:
        """It was seen to have ended and nobody tidies up after it any more: no need to look again."""
        return self.looked and self.state in ENDED and not self.sight.kept


class RunBook:
    """All runs of a data root.

    Args:
        root: The data root.
        observe: How to look at a run: at the place that executes it.
        guard: For looks that nobody waits for.
        now: Wall time, for stamps only.
        numbers_secs: How often numbers that grow are written to the registry.
    """

    def __init__(
        self,
        root: DataRoot,
        *,
        observe: Callable[[Run], Sight],
        guard: Guard,
        now: Callable[[], float],
        numbers_secs: float = 5.0,
    ) -> None:
        self._root = root
        self._observe = observe
        self._guard = guard
        self._now = now
        self._registry = Registry(root)
        self._known = self._registry.entries()
        self._runs: dict[str, Run] = {}
        self._changed: set[str] = set()
        self._dirty: set[str] = set()
        self._urgent = False
        self._numbers_secs, self._numbers_due = numbers_secs, 0.0
        self._listed_at: int | None = None
        self._stamp_before: int | None = None

    def every(self) -> list[Run]:
        """All runs, oldest first."""
        return sorted(self._runs.values(), key=lambda run: (run.manifest.created, run.folder.run_id))

    def live(self) -> list[Run]:
        """The runs worth looking at again."""
        return [run for run in self._runs.values() if not run.closed]

    def live_or_unsettled(self) -> list[Run]:
        """The runs that ingest may have to do with."""
        return [run for run in self._runs.values() if not (run.closed and run.settled)]

    def get(self, run_id: str) -> Run | None:
        """A run, if we know it."""
        return self._runs.get(run_id)

    def __getitem__(self, run_id: str) -> Run:
        run = self._runs.get(run_id)
        if run is None:
            raise RunNotFoundError(f"no run has the id {run_id!r}. See: mosaic ls")
        return run

    def scan(self) -> list[Run]:
        """Find the folders that came since the last scan, forget those that went; the new ones."""
        try:
            stamp = self._root.runs.stat().st_mtime_ns
        except FileNotFoundError:
            return []
        if stamp == self._listed_at:
            return []
        names = {path.name for path in self._root.runs.iterdir() if runs.is_run_id(path.name)}
        found = [
            run for name in sorted(names - self._runs.keys()) if (run := self._adopted(name)) is not None
        ]
        for name in self._runs.keys() - names:
            self.drop(name)
        # A folder whose manifest is still to come is not a run yet: look again next time. Likewise after the
        # first look at a stamp: file times tick coarsely, a folder made just after it may leave no trace.
        known = names <= self._runs.keys() and stamp == self._stamp_before
        self._listed_at, self._stamp_before = stamp if known else None, stamp
        return found

    def _adopted(self, run_id: str) -> Run | None:
        found: list[Run | None] = []
        self._guard.failure(f"run {run_id}", "take in", lambda: found.append(self.adopt(run_id)))
        return found[0] if found else None

    def adopt(self, run_id: str) -> Run | None:
        """Take a folder into the book, with its state as it is now; None while it has no manifest."""
        folder = self._root.run(run_id)
        damaged, stamp = "", _stamp(folder)
        try:
            manifest = runs.find_manifest(folder)
        except StoreError as error:
            damaged = str(error)
            manifest = unknown_manifest(run_id)
        if manifest is None:
            return None
        entry = self._known.pop(run_id, None)
        run = Run(folder=folder, manifest=manifest, row=_no_row(manifest), damaged=damaged, stamp=stamp)
        if entry is not None:
            run.summary = _summary_of(entry.row)
            run.settled = entry.settled
        self._runs[run_id] = run
        self.refresh(run)
        if entry is not None and entry.row == run.row:
            self._dirty.discard(run_id)
        return run

    def refresh(self, run: Run) -> None:
        """Look at a run again, unasked: a look that fails changes nothing of what was seen."""
        run.unseen = self._guard.failure(f"run {run.folder.run_id}", "observe", lambda: self.look(run))
        if run.unseen and not run.looked:
            before = run.manifest.history[-1:]
            state = before[0].state if before else RunState.QUEUED  # a run that was taken in, and no more
            self._show(run, Verdict(state, f"as last known; it cannot be looked at: {run.unseen}"))

    def look(self, run: Run) -> None:
        """Look at a run, and note what changed; the next `flush` writes it. Raises what `observe` raises."""
        reread = self._reread(run)
        sight = self._observe(run)
        verdict = sight.verdict
        if run.looked and sight == run.sight and not reread:
            return
        run.looked = True
        if verdict.state is RunState.FAILED and (said := last_line(run.folder.stderr)):
            verdict = Verdict(verdict.state, f"{verdict.reason}: {said}")
        if run.damaged:
            verdict = Verdict(RunState.UNREADABLE, run.damaged)
        run.sight = sight
        history = run.manifest.history
        # What cannot be read is not a chapter of the run's history, and nothing is written into its folder.
        unreadable = verdict.state is RunState.UNREADABLE
        if not unreadable and (not history or history[-1].state is not verdict.state):
            stamp = sight.exit.t if sight.exit is not None else self._now()
            history.append(StateChange(verdict.state, verdict.reason, stamp))
            run.unsaved = True
        self._show(run, verdict)

    def outdated(self, run: Run) -> bool:
        """Whether another manifest may lie in the run's folder than the one we know."""
        return not run.unsaved and _stamp(run.folder) != run.stamp

    def _reread(self, run: Run) -> bool:
        """Whether a manifest became unreadable, or a bad one can be read now and is taken over."""
        if not run.damaged and not self.outdated(run):
            return False
        # SYNC: stamped before it is read: what changes meanwhile is noticed at the next look.
        stamp = _stamp(run.folder)
        before = run.damaged
        try:
            manifest = runs.find_manifest(run.folder)
        except StoreError as error:
            run.damaged, run.stamp = str(error), stamp
            return run.damaged != before
        if manifest is None:
            return False  # gone: the scan sees to that
        run.stamp = stamp
        if before:
            run.manifest, run.damaged = manifest, ""
        return bool(before)

    def edit(
        self, run: Run, *, name: str | None, set_tags: Mapping[str, str], drop_tags: Sequence[str]
    ) -> None:
        """Change a run's name and tags; the next `flush` writes them.

        Raises:
            StoreError: its manifest cannot be read, so it is not overwritten either.
        """
        if run.damaged:
            raise StoreError(run.damaged)
        spec = run.manifest.spec
        tags = {key: value for key, value in {**spec.tags, **set_tags}.items() if key not in drop_tags}
        run.manifest.spec = msgspec.structs.replace(spec, name=spec.name if name is None else name, tags=tags)
        run.unsaved = True
        self._show(run, Verdict(run.row.state, run.row.reason))

    def heard(self, news: News) -> None:
        """Take in what ingest said."""
        run = self._runs.get(news.run_id)
        if run is None:
            return
        if news.error is not None:
            _log.warning("run %s: ingest says: %s", news.run_id, news.error)
        if news.summary is not None:
            run.summary = news.summary
        if news.settled and not run.settled:
            run.settled = self._urgent = True
            self._dirty.add(news.run_id)
        self._show(run, Verdict(run.row.state, run.row.reason), urgent=False)

    def drop(self, run_id: str) -> None:
        """Forget a run."""
        self._runs.pop(run_id, None)
        self._known.pop(run_id, None)
        self._dirty.discard(run_id)
        self._changed.discard(run_id)
        self._guard.forget(f"run {run_id}")
        try:
            self._registry.remove(run_id)
        except StoreError:
            self._renew()

    def row_of(self, run: Run, summary: StoreSummary) -> RunRow:
        """A run's row with these numbers. They are not noted: ingest's own word is on its way."""
        return self._row(run, Verdict(run.row.state, run.row.reason), summary)

    def flush(self) -> list[RunRow]:
        """Write what changed to manifests and registry; the rows that changed since the last time."""
        for run in self._runs.values():
            if run.unsaved:
                self._guard.failure(f"run {run.folder.run_id}", "save its manifest", partial(_save, run))
        if self._dirty and (self._urgent or time.monotonic() >= self._numbers_due):
            self._numbers_due = time.monotonic() + self._numbers_secs
            entries = [Entry(self._runs[run_id].row, self._runs[run_id].settled) for run_id in self._dirty]
            try:
                self._registry.put(entries)
                self._dirty.clear()
                self._urgent = False
            except StoreError:
                self._renew()
        changed = [self._runs[run_id].row for run_id in sorted(self._changed)]
        self._changed.clear()
        return changed

    def close(self, *, write: bool = True) -> None:
        """Write what is left, unless that is another's business now, and let go of the registry."""
        if write:
            self._urgent = True
            self.flush()
        self._registry.close()

    def _row(self, run: Run, verdict: Verdict, summary: StoreSummary) -> RunRow:
        history = run.manifest.history
        ended = history[-1].t if history and verdict.state in ENDED else None
        return make_row(run.manifest, run.sight, verdict, summary, ended=ended)

    def _show(self, run: Run, verdict: Verdict, *, urgent: bool = True) -> None:
        row = self._row(run, verdict, run.summary)
        if row != run.row:
            run.row = row
            self._changed.add(run.folder.run_id)
            self._dirty.add(run.folder.run_id)
            self._urgent = self._urgent or urgent

    def _renew(self) -> None:
        try:
            self._registry.renew()
        except OSError as error:
            _log.warning("the registry cannot be made anew yet: %s", error)
        self._dirty.update(self._runs)
        self._urgent = True


def _save(run: Run) -> None:
    runs.write_manifest(run.folder, run.manifest)
    run.unsaved, run.stamp = False, None


def _stamp(folder: RunFolder) -> tuple[int, int] | None:
    """Which file a manifest is, and when anything about it last changed; None when there is none."""
    try:
        found = folder.manifest.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_ctime_ns


def _no_row(manifest: Manifest) -> RunRow:
    return make_row(manifest, Sight(), Verdict(RunState.LOST, ""), StoreSummary())


def _summary_of(row: RunRow) -> StoreSummary:
    fields = {name: getattr(row, name) for name in StoreSummary.__struct_fields__ if hasattr(row, name)}
    return msgspec.convert(fields, StoreSummary)
