"""Everything the daemon does with runs: take them in, start them in turn, stop, pause, watch and delete them.

Synchronous, one lock, no network: the service translates calls to these methods. What to do is decided by
pure functions (`decisions`, `dispatcher`) and done by the place that executes a run. A place that fails for
one run harms no other: what a user asked for gets the error, all else is logged and tried again (`guard`).
The trainer owns no run: closing or killing it leaves every run going, and the next one finds them all by
their folders.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mosaic.artifacts import trust
from mosaic.daemon import decisions, ingest_link, janitor, submission
from mosaic.daemon.dispatcher import Standing, startable
from mosaic.daemon.guard import Guard
from mosaic.daemon.ingest_link import IngestLink, News
from mosaic.daemon.places.base import Order
from mosaic.daemon.places.local.place import LocalPlace
from mosaic.daemon.records import Records
from mosaic.daemon.runbook import Run, RunBook
from mosaic.errors import DataRootError, LaunchError, UsageError
from mosaic.protocol.runs import ENDED, RunRow, RunSpec, RunState, Want
from mosaic.protocol.shown import spec_shown
from mosaic.runs import folder as runs
from mosaic.runs import freshness, staging
from mosaic.runs.files import make_private
from mosaic.runs.listing import matching
from mosaic.runs.script import describe
from mosaic.store.glance import glance
from mosaic.text import os_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mosaic.daemon.decisions import Decision
    from mosaic.daemon.places.base import Place, Sight
    from mosaic.paths import DataRoot
    from mosaic.protocol.rows import StoreSummary
    from mosaic.protocol.runs import ScriptRecord
    from mosaic.settings import Settings

__all__ = ["LOCAL", "Trainer"]

LOCAL = "local"
"""The place of every run so far: a spec names none."""
_LEASE_SECS = 3.0
_REFRESH_SECS = 1.0
_RECORDING = (RunState.STARTING, RunState.RUNNING, RunState.PAUSED, RunState.STOPPING, RunState.ORPHANED)
_LASTING = (RunState.QUEUED, RunState.RUNNING, RunState.PAUSED)


class Trainer:
    """The runs of one data root. Call `tick` a few times a second, and `hear` when ingest said something.

    Args:
        root: The data root; the caller holds its daemon lock.
        settings: Limits and waits.
        places: Where runs are executed, by name; this machine alone when left out.
        on_progress: Called on ingest's own thread with how far a run's store has come. Must not block.
        now: Wall time, for stamps in listings only. No decision is made by it.
        ingest_command: How to start ingest, when not in the usual way.

    `stirred` is set when there is more to look at than before: who ticks rarely should do so again now if
    `restless`, and else hear what ingest said.
    """

    def __init__(
        self,
        root: DataRoot,
        settings: Settings,
        *,
        places: Mapping[str, Place] | None = None,
        on_progress: Callable[[str, StoreSummary], None] | None = None,
        now: Callable[[], float] = time.time,
        ingest_command: Sequence[str] | None = None,
    ) -> None:
        self.on_progress = on_progress
        self._root, self._settings, self._now = root, settings, now
        self._lock = threading.RLock()
        self._news_lock = threading.Lock()
        self._news: dict[str, News] = {}  # the latest of each run: bounded by the number of runs
        self._places = dict(places or {LOCAL: LocalPlace(root, settings)})
        self._reserve = janitor.Reserve(root, reserve_mib=settings.disk_reserve_mib)
        quotas_mib = settings.stdout_quota_mib, settings.stderr_quota_mib, settings.quarantine_quota_mib
        command = ingest_command or ingest_link.ingest_command(
            seal=settings.seal_journals, quotas_mib=quotas_mib
        )
        self._ingest = IngestLink(self._heard, command=command)
        self._book: RunBook | None = None
        self._guard = Guard()
        self._unadopted: list[Run] = []
        self.stirred = threading.Event()
        self.restless = False
        self._records = Records(self._stir)
        self._heard_of_all = False
        self._lease_due = 0.0

    def start(self) -> None:
        """Look at every run folder, adopt what lives, collect after what ended, start ingest."""
        with self._lock:
            make_private(self._root.path)
            make_private(self._root.runs)
            for place in self._places.values():
                place.start()
            self._book = RunBook(self._root, observe=self._observe, guard=self._guard, now=self._now)
            self._ingest.start()
            self._records.start()
            self._take_in(self._book.scan())
            janitor.empty_bin(self._root)
            staging.sweep(self._root.path)
            self._collect(self._book.flush())

    def submit(self, spec: RunSpec, env: Mapping[str, str]) -> RunRow:
        """Take a run into the queue and start it when a slot is free. The same id again is the same run.

        Args:
            spec: What to run.
            env: The worker's environment variables; kept in memory only.

        Raises:
            UsageError: the id is not a ULID, or the command is empty or cannot be a command.
            DataRootError: the run's folder cannot be written.
            LaunchError: its place cannot take it over.
        """
        submission.check(spec, env)
        with self._lock:
            known = self._runs.get(spec.run_id)
            if known is not None and not decisions.launchable(self._observe(known)):
                return known.row
        script = describe(spec.command, Path(spec.cwd), path=env.get("PATH"))  # outside the lock: asks git
        recorded = spec_shown(spec, env)  # nothing of what is kept, listed or logged holds a secret
        with self._lock:
            try:
                folder = runs.prepare(self._root, spec.run_id)
                self._place_of(spec).launch(folder, spec, env, record=lambda: self._record(recorded, script))
            except OSError as error:
                raise DataRootError(f"cannot write the run's folder: {os_words(error)}") from error
            run = self._runs.get(spec.run_id) or self._runs.adopt(spec.run_id)
            if run is None:
                raise LaunchError(f"run {spec.run_id} vanished while it was being submitted")
            run.settled = False
            self._runs.refresh(run)
            self._ingest.watch(folder)
            run.watched = True
            self._reserve.look()
            self._dispatch()
            self._stir()
            return run.row

    def stop(self, run_id: str, *, reason: str = "asked by the user") -> RunRow:
        """End a run and its whole process tree. A run that has ended stays as it is."""
        with self._lock:
            run = self._fresh(run_id)
            return self._obey(run, decisions.stop(run.sight, reason=reason))

    def pause(self, run_id: str, *, reason: str = "paused by the user") -> RunRow:
        """Freeze a run until it is unpaused. It keeps its slot.

        Raises:
            UsageError: it does not run.
        """
        with self._lock:
            run = self._fresh(run_id)
            return self._obey(run, decisions.pause(run_id, run.sight, reason=reason))

    def unpause(self, run_id: str) -> RunRow:
        """Let a paused run go on.

        Raises:
            UsageError: it is not paused, or the disk is too full for it.
        """
        with self._lock:
            run = self._fresh(run_id)
            self._reserve.look()
            return self._obey(run, decisions.unpause(run_id, run.sight, disk_low=self._reserve.reason))

    def delete(self, run_id: str, *, wait_secs: float = 15.0) -> None:
        """Delete an ended run with everything it recorded.

        Raises:
            UsageError: it has not ended, or processes it left behind are still being ended.
            DataRootError: the file system refused.
        """
        with self._lock:
            run = self._fresh(run_id)
            self._obey(run, decisions.delete(run_id, run.sight))
        self._wait_until_left(run, wait_secs)
        with self._lock:
            self._ingest.forget(run.folder)
            janitor.bin_run(run.folder)
            self._runs.drop(run_id)
        janitor.empty_bin(self._root)

    def edit(
        self, run_id: str, *, name: str | None, set_tags: Mapping[str, str], drop_tags: Sequence[str]
    ) -> RunRow:
        """Change a run's name and tags. What is None or not named stays.

        Raises:
            UsageError: the name or a tag cannot be one.
            StoreError: the run's manifest cannot be read.
        """
        submission.check_labels(name or "", set_tags)
        with self._lock:
            run = self._seen(run_id)
            self._runs.edit(run, name=name, set_tags=set_tags, drop_tags=drop_tags)
            return run.row

    def runs(self) -> list[RunRow]:
        """Every run, newest first."""
        with self._lock:
            self._take_news()
            return [run.row for run in reversed(self._runs.every())]

    def run(self, run_id: str) -> RunRow:
        """One run, as it is now; its numbers as ingest last said.

        Raises:
            RunNotFoundError: there is none with that id.
        """
        with self._lock:
            self._take_news()
            return self._seen(run_id).row

    def counted(self, rows: Sequence[RunRow]) -> list[RunRow]:
        """The same runs with the numbers of this moment: those that are going are ingested first.

        Waits a moment at most. What cannot be had by then has the numbers it had.
        """
        going = {row.run_id: self._root.run(row.run_id) for row in rows if row.state in _RECORDING}
        freshness.refresh(going.values(), timeout_secs=_REFRESH_SECS)
        summaries = {run_id: glance(folder) for run_id, folder in going.items()}
        with self._lock:
            return [self._counted(row, summaries.get(row.run_id)) for row in rows]

    def settled(self, run_id: str) -> bool:
        """Whether a run has ended and all it left is in its store: a reader may stop waiting for more.

        Raises:
            RunNotFoundError: there is none with that id.
        """
        with self._lock:
            self._take_news()
            run = self._runs[run_id]
            return run.settled and run.state in ENDED

    def resolve(self, text: str) -> str:
        """The id of the one run meant by an id, a unique prefix, a name, or `last`.

        Raises:
            RunNotFoundError: none is meant.
            AmbiguousRunError: several are.
        """
        return matching(self.runs(), text).run_id

    def rebuild(self, run_id: str) -> StoreSummary:
        """Make a run's store anew from its journal.

        Raises:
            RunNotFoundError: there is no such run.
            DaemonError: ingest could not.
        """
        with self._lock:
            folder = self._seen(run_id).folder
        summary = self._ingest.rebuild(folder)
        with self._lock:
            self._take_news()
        return summary

    def tick(self) -> list[RunRow]:
        """Look at what lives, make room, start what may start; the rows that changed since the last time."""
        with self._lock:
            self.restless = False  # SYNC: before the look: what happens during it asks for another one
            for name, place in self._places.items():
                self._guard.failure(f"place {name}", "tend", place.tend)
            self._take_in(self._runs.scan())
            # SYNC: listened to before the look: what is replaced after it is heard.
            self._heard_of_all = self._records.follow([run.folder for run in self._runs.live()])
            for run in self._runs.live():
                self._runs.refresh(run)
            self._feed_ingest()
            self._keep_reserve()
            self._dispatch()
            return self._changed()

    def hear(self) -> list[RunRow]:
        """Take in what ingest said, without a look at any run; the rows that changed since the last time."""
        with self._lock:
            return self._changed()

    @property
    def idle(self) -> bool:
        """Whether no run is going or waiting: nothing changes unless somebody asks for it."""
        return self._book is None or not self._book.live()

    @property
    def calm(self) -> bool:
        """Whether the runs that are going or waiting may stay as they are for long: what changes stirs us."""
        if self._book is None:
            return True
        return (
            self._heard_of_all
            and not self._reserve.near
            and all(run.state in _LASTING for run in self._book.live())
        )

    def keep_fresh(self) -> None:
        """Somebody follows the list of runs: have the stores of those that are going follow them closely."""
        now = time.monotonic()
        if now < self._lease_due:
            return
        self._lease_due = now + _LEASE_SECS / 2
        with self._lock:
            going = [run.folder for run in self._runs.live() if run.state is not RunState.QUEUED]
        for folder in going:
            freshness.keep_fresh(folder, secs=_LEASE_SECS)

    def close(self, *, write: bool = True) -> None:
        """Leave. The runs go on. Twice is fine. Without `write` nothing is noted: another does that now."""
        self._ingest.close()
        self._records.close()
        with self._lock:
            for name, place in self._places.items():
                self._guard.failure(f"place {name}", "close", place.close)
            if self._book is not None:
                self._take_news()
                self._book.close(write=write)
                self._book = None

    # -- inside, with the lock held ------------------------------------------------------------------------

    def _changed(self) -> list[RunRow]:
        self._take_news()
        changed = self._runs.flush()
        self._collect(changed)
        return changed

    @property
    def _runs(self) -> RunBook:
        if self._book is None:
            raise LaunchError("the trainer is not started, or closed already")
        return self._book

    def _counted(self, row: RunRow, summary: StoreSummary | None) -> RunRow:
        run = self._runs.get(row.run_id)
        return row if run is None or summary is None else self._runs.row_of(run, summary)

    def _fresh(self, run_id: str) -> Run:
        """A run as it is now, for what a user asked of it: a place that cannot see it is an error."""
        run = self._runs[run_id]
        if not run.closed or self._runs.outdated(run):
            self._runs.look(run)
        return run

    def _seen(self, run_id: str) -> Run:
        """A run as it is now, or as it was last seen when its place cannot see it."""
        run = self._runs[run_id]
        if not run.closed or self._runs.outdated(run):
            self._runs.refresh(run)
        return run

    def _place_of(self, spec: RunSpec) -> Place:
        del spec  # the day a spec names its place, this is the one line that reads it
        return self._places[LOCAL]

    def _observe(self, run: Run) -> Sight:
        return self._place_of(run.manifest.spec).observe(run.folder)

    def _record(self, spec: RunSpec, script: ScriptRecord | None) -> None:
        """Make a prepared folder a run. Called by its place at the right moment."""
        runs.create(self._root, spec, created=self._now(), script=script)
        trust.own_run(self._root, spec.run_id)

    def _order(self, run: Run, order: Order) -> None:
        self._place_of(run.manifest.spec).order(run.folder, order)
        self._runs.refresh(run)

    def _obey(self, run: Run, decision: Decision) -> RunRow:
        """For decisions a user waits for: the run's row afterwards, or the refusal."""
        if decision.order is not None:
            self._order(run, decision.order)
        if decision.refusal:
            raise UsageError(decision.refusal)
        return run.row

    def _try_order(self, run: Run, order: Order) -> bool:
        """For orders nobody waits for; whether it was given."""
        return not self._guard.failure(_of(run), "order", lambda: self._order(run, order))

    def _take_in(self, found: Sequence[Run]) -> None:
        """Have new runs ingested; then adopt them, and those whose adoption failed before."""
        self._feed_ingest()
        waiting = [run for run in self._unadopted if self._runs.get(run.folder.run_id) is run]
        self._unadopted = [run for run in [*waiting, *found] if not (run.closed or self._adopted(run))]

    def _feed_ingest(self) -> None:
        """Have ingest follow what can be read and is not settled, and leave what cannot be read alone."""
        for run in self._runs.live_or_unsettled():
            wanted = not run.settled and run.state is not RunState.UNREADABLE
            if wanted and not run.watched:
                self._ingest.watch(run.folder)
            elif run.watched and run.state is RunState.UNREADABLE:
                self._ingest.forget(run.folder)
            run.watched = wanted

    def _adopted(self, run: Run) -> bool:
        place = self._place_of(run.manifest.spec)
        return not self._guard.failure(_of(run), "adopt", lambda: place.adopt(run.folder))

    def _collect(self, changed: Sequence[RunRow]) -> None:
        for run in (self._runs[row.run_id] for row in changed if row.state in ENDED):
            freshness.poke(run.folder)  # stored to its end at once, whether or not anybody looks
            place = self._place_of(run.manifest.spec)
            self._guard.failure(_of(run), "collect", partial(place.collect, run.folder))

    def _keep_reserve(self) -> None:
        self._reserve.look()
        for run in self._runs.live():
            order = decisions.keep_reserve(run.sight, disk_low=self._reserve.reason).order
            if order is not None and not run.unseen:
                self._try_order(run, order)

    def _dispatch(self) -> None:
        """Start what may start. A queued run that cannot be seen or ordered leaves its turn to the next."""
        passed = {r.folder.run_id for r in self._runs.live() if r.unseen and r.state is RunState.QUEUED}
        ordered: set[str] = set()
        while due := [run_id for run_id in self._startable(without=passed) if run_id not in ordered]:
            for run_id in due:
                given = self._try_order(self._runs[run_id], Order(want=Want.RUN))
                (ordered if given else passed).add(run_id)

    def _startable(self, *, without: set[str]) -> list[str]:
        standing = [Standing(r.manifest.created, r.folder.run_id, r.state) for r in self._runs.live()]
        return startable(
            [one for one in standing if one.run_id not in without],
            max_running=self._settings.max_running,
            disk_low=self._reserve.low,
        )

    def _wait_until_left(self, run: Run, wait_secs: float) -> None:
        # Without the trainer's lock: the other runs are looked after meanwhile.
        deadline = time.monotonic() + wait_secs
        while self._observe(run).kept:
            if time.monotonic() >= deadline:
                raise UsageError(
                    f"run {run.folder.run_id} still has processes to end; try again in a few seconds"
                )
            time.sleep(0.02)

    def _heard(self, news: News) -> None:
        # Called by the link on its own thread. Never waits for the trainer's lock: a trainer that waits for
        # ingest while ingest waits for the trainer would be the end of both.
        with self._news_lock:
            before = self._news.get(news.run_id)
            if before is not None and news.summary is None:
                news = msgspec.structs.replace(before, settled=news.settled, error=news.error)
            self._news[news.run_id] = news
        if news.summary is not None and self.on_progress is not None:
            self.on_progress(news.run_id, news.summary)

    def _stir(self) -> None:
        """Ask for a look now. Called by any thread, without the lock."""
        self.restless = True  # SYNC: before the event: who wakes up by it sees this
        self.stirred.set()

    def _take_news(self) -> None:
        with self._news_lock:
            latest, self._news = self._news, {}
        for news in latest.values():
            self._runs.heard(news)


def _of(run: Run) -> str:
    return f"run {run.folder.run_id}"
