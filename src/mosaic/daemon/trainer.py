"""Everything the daemon does with runs: take them in, start them in turn, stop, pause, watch and delete them.

Synchronous, one lock, no network: the service translates calls to these methods. It owns no run: closing or
killing it leaves every run going, and the next one finds them all by their folders.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mosaic import worker_site
from mosaic.artifacts import trust
from mosaic.daemon import ingest_link, janitor, submission
from mosaic.daemon.dispatcher import Standing, startable
from mosaic.daemon.ingest_link import IngestLink, News
from mosaic.daemon.orphans import OrphanStop, members
from mosaic.daemon.runbook import Run, RunBook
from mosaic.daemon.supervisor import Supervisor
from mosaic.errors import DataRootError, LaunchError, UsageError
from mosaic.fastlane import segment
from mosaic.protocol.runs import ENDED, Control, RunRow, RunSpec, RunState, Want
from mosaic.runs import folder as runs
from mosaic.runs.files import make_private
from mosaic.runs.listing import matching
from mosaic.runs.locks import Lock
from mosaic.runs.script import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mosaic.paths import DataRoot
    from mosaic.protocol.rows import StoreSummary
    from mosaic.settings import Settings

__all__ = ["Trainer"]

_log = logging.getLogger(__name__)
_PAUSABLE = frozenset({RunState.STARTING, RunState.RUNNING, RunState.PAUSED})


class Trainer:
    """The runs of one data root. Call `tick` a few times a second.

    Args:
        root: The data root; the caller holds its daemon lock.
        settings: Limits and waits.
        on_progress: Told, on ingest's own thread, how far a run's store has come. Must not block.
        now: Wall time, for stamps in listings only. No decision is made by it.
        grace_secs: How long processes may outlive their worker.
        ingest_command: How to start ingest, when not in the usual way.
    """

    def __init__(
        self,
        root: DataRoot,
        settings: Settings,
        *,
        on_progress: Callable[[str, StoreSummary], None] | None = None,
        now: Callable[[], float] = time.time,
        grace_secs: float = 10.0,
        ingest_command: Sequence[str] | None = None,
    ) -> None:
        self.on_progress = on_progress
        self._root, self._settings, self._now = root, settings, now
        self._lock = threading.RLock()
        self._news_lock = threading.Lock()
        self._news: dict[str, News] = {}  # the latest of each run: bounded by the number of runs
        self._supervisor = Supervisor(grace_secs=grace_secs)
        self._reserve = janitor.Reserve(root, reserve_mib=settings.disk_reserve_mib)
        self._orphans: dict[str, OrphanStop] = {}
        command = ingest_command or ingest_link.ingest_command(seal=settings.seal_journals)
        self._ingest = IngestLink(self._heard, command=command)
        self._book: RunBook | None = None
        self._site = Path()

    def start(self) -> None:
        """Look at every run folder, adopt what lives, finish what was begun, start ingest."""
        with self._lock:
            make_private(self._root.path)
            make_private(self._root.runs)
            self._site = worker_site.install(self._root)
            self._book = RunBook(self._root, now=self._now)
            self._ingest.start()
            self._take_in(self._book.scan())
            janitor.empty_bin(self._root)
            segment.sweep()
            self._book.flush()

    def submit(self, spec: RunSpec, env: Mapping[str, str]) -> RunRow:
        """Take a run into the queue and start it when there is a place. The same id again is the same run.

        Args:
            spec: What to run.
            env: The worker's environment variables; kept in memory only.

        Raises:
            UsageError: the id is no ULID, or the command is empty or cannot be a command.
            DataRootError: the run's folder cannot be written.
            LaunchError: its shim cannot be started.
        """
        submission.check(spec, env)
        with self._lock:
            known = self._runs.get(spec.run_id)
            if known is not None and not submission.never_started(known):
                return known.row
        script = describe(spec.command, Path(spec.cwd), path=env.get("PATH"))  # outside the lock: asks git
        with self._lock:
            try:
                folder = runs.prepare(self._root, spec.run_id)
                # SYNC: the shim's lock is taken before the manifest makes this a run, and handed over to the
                # shim: a run is never seen without a holder unless its shim is really gone.
                with Lock(folder.shim_lock) as lock:
                    seen = runs.observe(folder)
                    if seen.proc is None and seen.exit is None:
                        runs.create(self._root, spec, created=self._now(), script=script)
                        trust.own_run(self._root, spec.run_id)
                        runs.write_control(folder, self._control(Want.HOLD))
                        site_env = worker_site.worker_environment(
                            env, site=self._site, folder=folder, spec=spec, settings=self._settings
                        )
                        self._supervisor.spawn(folder, site_env, lock)
            except BlockingIOError:
                pass  # it runs already: the same id was submitted before
            except OSError as error:
                raise DataRootError(
                    f"cannot write the run's folder: {error.strerror}: {error.filename}"
                ) from error
            run = self._runs.get(spec.run_id) or self._runs.adopt(spec.run_id)
            if run is None:
                raise LaunchError(f"run {spec.run_id} vanished while it was being submitted")
            run.settled = False
            self._runs.refresh(run)
            self._ingest.watch(folder)
            self._reserve.look()
            self._dispatch()
            return run.row

    def stop(self, run_id: str, *, reason: str = "asked by the user") -> RunRow:
        """End a run and its whole process tree. A run that has ended stays as it is."""
        with self._lock:
            run = self._fresh(run_id)
            if run.seen.shim_alive:
                self._order(run, Want.STOP, reason=reason)  # after its end: hurries what it left behind
            elif run.state is RunState.ORPHANED or (
                run.state is RunState.LOST and members(run_id, run.seen.proc)
            ):
                self._order(run, Want.STOP, reason=reason)
                self._climb_for(run)
            return run.row

    def pause(self, run_id: str, *, reason: str = "paused by the user") -> RunRow:
        """Freeze a run until it is resumed. It keeps its place.

        Raises:
            UsageError: it does not run.
        """
        with self._lock:
            run = self._fresh(run_id)
            if run.state not in _PAUSABLE:
                raise UsageError(f"run {run_id} is {run.state.value}: only a running one can be paused")
            self._order(run, Want.PAUSE, reason=reason)
            return run.row

    def resume(self, run_id: str) -> RunRow:
        """Let a paused run go on.

        Raises:
            UsageError: it is not paused, or the disk is too full for it.
        """
        with self._lock:
            run = self._fresh(run_id)
            control = run.seen.control
            if run.state not in _PAUSABLE or control is None or control.want is not Want.PAUSE:
                raise UsageError(f"run {run_id} is {run.state.value}, not paused")
            if self._reserve.look():
                self._order(run, Want.PAUSE, reason=self._reserve.reason, by_reserve=True)
                raise UsageError(f"{self._reserve.reason}. Free some space; the run then goes on by itself.")
            self._order(run, Want.RUN)
            return run.row

    def delete(self, run_id: str, *, wait_secs: float = 15.0) -> None:
        """Delete an ended run with everything it recorded.

        Raises:
            UsageError: it has not ended, or processes it left behind are still being ended.
            DataRootError: the file system refused.
        """
        with self._lock:
            run = self._fresh(run_id)
            if run.state not in ENDED:
                raise UsageError(f"run {run_id} is {run.state.value}. Stop it first: mosaic stop {run_id}")
            if run.seen.shim_alive:
                self._order(run, Want.STOP, reason="deleted by the user")
        submission.wait_released(run, wait_secs)
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
            run = self._fresh(run_id)
            self._runs.edit(run, name=name, set_tags=set_tags, drop_tags=drop_tags)
            return run.row

    def runs(self) -> list[RunRow]:
        """Every run, newest first."""
        with self._lock:
            self._take_news()
            return [run.row for run in reversed(self._runs.every())]

    def run(self, run_id: str) -> RunRow:
        """One run, as it is now.

        Raises:
            RunNotFoundError: there is none with that id.
        """
        with self._lock:
            self._take_news()
            return self._fresh(run_id).row

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
            folder = self._fresh(run_id).folder
        summary = self._ingest.rebuild(folder)
        with self._lock:
            self._take_news()
        return summary

    def tick(self) -> list[RunRow]:
        """Look at what lives, make room, start what may start; the rows that changed since the last tick."""
        with self._lock:
            self._supervisor.reap()
            self._take_in(self._runs.scan())
            for run in self._runs.live():
                self._runs.refresh(run)
            self._keep_reserve()
            self._dispatch()
            self._climb()
            self._take_news()
            changed = self._runs.flush()
            for row in changed:
                if row.state in ENDED:
                    segment.sweep_run(self._root.run(row.run_id))
            return changed

    def close(self) -> None:
        """Leave. The runs go on. Twice is fine."""
        self._ingest.close()
        with self._lock:
            self._supervisor.close()
            if self._book is not None:
                self._take_news()
                self._book.close()
                self._book = None

    # -- inside, with the lock held ------------------------------------------------------------------------

    @property
    def _runs(self) -> RunBook:
        if self._book is None:
            raise LaunchError("the trainer is not started, or closed already")
        return self._book

    def _fresh(self, run_id: str) -> Run:
        run = self._runs[run_id]
        if not run.closed:
            self._runs.refresh(run)
        return run

    def _control(self, want: Want, *, reason: str = "", by_reserve: bool = False) -> Control:
        int_secs, term_secs = self._settings.stop_int_secs, self._settings.stop_term_secs
        return Control(
            want=want, reason=reason, by_reserve=by_reserve, int_secs=int_secs, term_secs=term_secs
        )

    def _order(self, run: Run, want: Want, *, reason: str = "", by_reserve: bool = False) -> None:
        try:
            runs.write_control(run.folder, self._control(want, reason=reason, by_reserve=by_reserve))
        except OSError as error:
            raise DataRootError(f"cannot write {run.folder.control}: {error.strerror}") from error
        self._runs.refresh(run)

    def _try_order(self, run: Run, want: Want, *, reason: str = "", by_reserve: bool = False) -> None:
        """For orders nobody waits for: one run's broken folder must not keep us from the others."""
        try:
            self._order(run, want, reason=reason, by_reserve=by_reserve)
        except DataRootError as error:
            _log.warning("run %s: %s", run.folder.run_id, error)

    def _take_in(self, found: Sequence[Run]) -> None:
        for run in found:
            if not run.settled:
                self._ingest.watch(run.folder)
            control = run.seen.control
            if run.state is RunState.ORPHANED and control is not None and control.want is Want.STOP:
                self._climb_for(run)

    def _keep_reserve(self) -> None:
        low = self._reserve.look()
        for run in self._runs.live():
            control = run.seen.control
            if run.state not in _PAUSABLE or control is None:
                continue
            if low and control.want is Want.RUN:
                self._try_order(run, Want.PAUSE, reason=self._reserve.reason, by_reserve=True)
            elif not low and control.want is Want.PAUSE and control.by_reserve:
                self._try_order(run, Want.RUN)

    def _dispatch(self) -> None:
        standing = [Standing(r.manifest.created, r.folder.run_id, r.state) for r in self._runs.live()]
        for run_id in startable(standing, max_running=self._settings.max_running, disk_low=self._reserve.low):
            self._try_order(self._runs[run_id], Want.RUN)

    def _climb_for(self, run: Run) -> None:
        self._orphans.setdefault(
            run.folder.run_id,
            OrphanStop(
                run.folder.run_id,
                run.seen.proc,
                int_secs=self._settings.stop_int_secs,
                term_secs=self._settings.stop_term_secs,
            ),
        )
        self._climb()

    def _climb(self) -> None:
        for run_id, ladder in list(self._orphans.items()):
            if ladder.climb(time.monotonic()):
                del self._orphans[run_id]
                run = self._runs.get(run_id)
                if run is not None:
                    self._runs.refresh(run)

    def _heard(self, news: News) -> None:
        # On the link's thread. Never waits for the trainer's lock: a trainer that waits for ingest while
        # ingest waits to be heard would be the end of both.
        with self._news_lock:
            before = self._news.get(news.run_id)
            if before is not None and news.summary is None:
                news = msgspec.structs.replace(before, settled=news.settled, error=news.error)
            self._news[news.run_id] = news
        if news.summary is not None and self.on_progress is not None:
            self.on_progress(news.run_id, news.summary)

    def _take_news(self) -> None:
        with self._news_lock:
            latest, self._news = self._news, {}
        for news in latest.values():
            self._runs.heard(news)
