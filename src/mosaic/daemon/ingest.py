"""The ingest process, `python -m mosaic.daemon.ingest`: orders on stdin, news on stdout, both JSON lines.

Runs take turns, a bounded piece each, so that one that floods cannot hold up the others. When a turn is due
is decided by `turns`: a store is as fresh as somebody needs it, and what nobody asks for costs next to
nothing. Readers ask by `fresh` in the run's folder (`runs.freshness`), which the kernel tells us of. A run
that fails is reported, left alone for a while and tried again. The store is the source and news only hints at
it: ingest merges news that nobody reads, per run, and never waits for a reader. Ends when stdin ends.
"""

from __future__ import annotations

import argparse
import gc
import os
import select
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.daemon.turns import Standing, due_at
from mosaic.errors import MosaicError, ProtocolError
from mosaic.paths import RunFolder
from mosaic.protocol import floats
from mosaic.runs import freshness, inotify
from mosaic.store.ingest import RunIngest
from mosaic.store.quotas import USUAL, Quotas
from mosaic.store.rebuild import Rebuild

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.protocol.rows import StoreSummary
    from mosaic.store.ingest import Turn

__all__ = ["IngestProcess", "main"]

# What one run's files can make go wrong. Named one by one: anything else is a fault of ours that should be
# seen.
_ONE_RUN_FAILED = (MosaicError, OSError, ValueError, LookupError, ArithmeticError, TypeError, AttributeError)


class Order(msgspec.Struct, frozen=True):
    """One line of stdin."""

    cmd: str
    run_dir: str


@dataclass
class _Watched:
    folder: RunFolder
    standing: Standing
    ingest: RunIngest | None = None
    rebuild: Rebuild | None = None
    watch: bool = True
    pause_secs: float = 0.0
    told: StoreSummary | None = None
    began_nanos: int = 0
    """When its last turn began, by the clock that readers ask with."""

    def close(self) -> None:
        for work in (self.ingest, self.rebuild):
            if work is not None:
                work.close()
        self.ingest = self.rebuild = None


class Outbox:
    """Lines for a pipe that may be full: what must arrive is kept in order, the rest is merged per run."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        os.set_blocking(fd, False)
        self._rest = b""
        self._must: deque[bytes] = deque()  # answers to orders: as many as were given
        self._news: dict[str, bytes] = {}  # one line a run

    def put(self, run_id: str, line: bytes, *, must: bool) -> None:
        """Queue a line; a newer one about the same run replaces it unless it must arrive."""
        if must:
            self._news.pop(run_id, None)  # older: said after this, it would count as the last word
            self._must.append(line)
        else:
            self._news[run_id] = line

    def waiting(self) -> bool:
        """Whether anything is left to write."""
        return bool(self._rest or self._must or self._news)

    def flush(self) -> None:
        """Write what the pipe takes now."""
        while self.waiting():
            if not self._rest:
                self._rest = self._must.popleft() if self._must else self._news.pop(next(iter(self._news)))
            try:
                self._rest = self._rest[os.write(self.fd, self._rest) :]
            except BlockingIOError:
                return


class Readers:
    """Hears whose readers ask for something, and which runs end. `deaf` where the kernel tells nothing."""

    def __init__(self) -> None:
        self._watches: dict[int, str] = {}
        self._heard: set[str] = set()
        try:
            self._notices: inotify.Notices | None = inotify.Notices()
        except OSError:
            self._notices = None

    @property
    def deaf(self) -> bool:
        """Whether nothing will be heard, so that one has to look."""
        return self._notices is None

    @property
    def fds(self) -> list[int]:
        """What becomes readable when there is something to take."""
        return [] if self._notices is None else [self._notices.fd]

    def listen(self, run_id: str, folder: RunFolder) -> bool:
        """Let readers ask for this run; whether that is new. What lies in the way costs it its readers."""
        if run_id in self._heard:
            return False
        with suppress(OSError):
            freshness.offer(folder)
            if self._notices is not None:
                self._watches[self._notices.watch(folder.fresh, inotify.TOUCHED)] = run_id
                self._watches[self._notices.watch(folder.path, inotify.RENAMED)] = run_id
            self._heard.add(run_id)
            return True
        return False

    def forget(self, run_id: str) -> None:
        """Listen to a run no more."""
        self._heard.discard(run_id)
        for number in [one for one, of in self._watches.items() if of == run_id]:
            if self._notices is not None:
                self._notices.ignore(number)
            del self._watches[number]

    def take(self) -> set[str]:
        """The runs somebody asked for since. One whose `fresh` was taken away is listened to anew later."""
        asked: set[str] = set()
        for number, kinds, _ in [] if self._notices is None else self._notices.take():
            run_id = self._watches.get(number)
            if run_id is not None:
                asked.add(run_id)
                if kinds & inotify.GONE:
                    self.forget(run_id)
        return asked

    def close(self) -> None:
        """Hear no more."""
        if self._notices is not None:
            self._notices.close()


class IngestProcess:
    """Ingests the runs that the daemon orders it to watch.

    Args:
        stdin: descriptor of the orders.
        stdout: descriptor for the news.
        retry_secs: the shortest and the longest pause of a run that failed; doubled while it fails.
        most_lease_secs: a lease that runs longer counts as so long: a clock was set, or somebody erred.
        deaf_secs: how often to look for readers where the kernel does not tell of them.
        seal: compress journal segments once they are in the store.
        quotas: how much of what a run prints is kept.
        clock: a clock that never jumps.
    """

    def __init__(
        self,
        stdin: int,
        stdout: int,
        *,
        retry_secs: tuple[float, float] = (0.5, 30.0),
        most_lease_secs: float = 10.0,
        deaf_secs: float = 0.1,
        seal: bool = True,
        quotas: Quotas = USUAL,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stdin = stdin
        os.set_blocking(stdin, False)
        self._out = Outbox(stdout)
        self._retry_secs = retry_secs
        self._most_lease_secs, self._deaf_secs = most_lease_secs, deaf_secs
        self._seal, self._quotas = seal, quotas
        self._clock = clock
        self._runs: dict[str, _Watched] = {}
        self._orders = b""
        self._readers = Readers()

    def run(self) -> None:
        """Work until stdin ends."""
        try:
            while self._listen(self._pause_secs()):
                for run_id in list(self._runs):
                    if self._due_at(self._runs[run_id]) <= self._clock():
                        self._take_turn(run_id)
                        self._out.flush()
        finally:
            self.close()

    def close(self) -> None:
        """Let go of all runs. Twice is fine."""
        for watched in self._runs.values():
            watched.close()
        self._readers.close()

    def _due_at(self, watched: _Watched) -> float:
        return 0.0 if watched.rebuild is not None else due_at(watched.standing)

    def _pause_secs(self) -> float | None:
        """How long there is nothing to do unless somebody asks; None: for ever."""
        if not self._runs:
            return None
        pause = max(0.0, min(map(self._due_at, self._runs.values())) - self._clock())
        return min(pause, self._deaf_secs) if self._readers.deaf else pause

    def _listen(self, timeout_secs: float | None) -> bool:
        """Take in orders and what readers ask for, waiting at most that long; False at the end of stdin."""
        writing = [self._out.fd] if self._out.waiting() else []
        reading = [self._stdin, *self._readers.fds]
        readable, _, _ = select.select(reading, writing, [], timeout_secs)
        self._out.flush()
        asked = list(self._runs) if self._readers.deaf else self._readers.take()
        for run_id in asked:
            if run_id in self._runs:
                self._heed(self._runs[run_id])
        if self._stdin not in readable:
            return True
        try:
            data = os.read(self._stdin, 1 << 16)
        except BlockingIOError:
            return True
        if not data:
            return False
        *lines, self._orders = (self._orders + data).split(b"\n")
        for line in lines:
            if line.strip():
                self._obey(line)
        return True

    def _obey(self, line: bytes) -> None:
        try:
            order = msgspec.json.decode(line, type=Order)
        except msgspec.DecodeError as error:
            self._say("", error=f"order {line[:200]!r} is none: {error}")
            return
        folder = RunFolder(Path(order.run_dir))
        run_id = folder.run_id
        if order.cmd == "watch":
            watched = self._runs.setdefault(run_id, self._new(folder))
            watched.watch = True
            # Ordered again (a run that was submitted anew, say): look at once, whatever was known of it.
            watched.standing = replace(watched.standing, last=None)
        elif order.cmd == "forget":
            found = self._runs.pop(run_id, None)
            if found is not None:
                self._readers.forget(run_id)
                freshness.clear(found.folder)
                found.close()
        elif order.cmd == "rebuild":
            self._start_rebuild(run_id, folder)
        else:
            self._say(run_id, error=f"order {order.cmd!r} is none of watch, forget, rebuild")

    def _start_rebuild(self, run_id: str, folder: RunFolder) -> None:
        watched = self._runs.setdefault(run_id, self._new(folder, watch=False))
        watched.close()
        try:
            watched.rebuild = Rebuild(folder, quotas=self._quotas)
        except _ONE_RUN_FAILED as error:
            self._say(run_id, error=_words(error), done="rebuild")
            self._drop_unwatched(run_id)

    def _new(self, folder: RunFolder, *, watch: bool = True) -> _Watched:
        return _Watched(folder, Standing(since=self._clock()), watch=watch)

    def _heed(self, watched: _Watched) -> None:
        """Somebody touched the run's `fresh`, or it wrote how it ended."""
        now_nanos = time.time_ns()
        poked, leased = freshness.wants(watched.folder)
        ahead_secs = min((leased - now_nanos) / 1e9, self._most_lease_secs)
        ending = watched.folder.exit.exists()
        before = watched.standing
        watched.standing = replace(
            before,
            leased_until=self._clock() + ahead_secs,
            poked=before.poked
            or watched.began_nanos < poked <= now_nanos  # one from the future is of a clock that was set back
            or (ending and not before.ending),
            ending=before.ending or ending,
        )

    def _take_turn(self, run_id: str) -> None:
        """One turn of one run."""
        watched = self._runs[run_id]
        if watched.rebuild is not None:
            self._go_on_rebuilding(run_id, watched)
            return
        # SYNC: both clocks before anything is read: what was acknowledged before them is in the store after.
        began, watched.began_nanos = self._clock(), time.time_ns()
        try:
            if watched.ingest is None:
                watched.ingest = RunIngest(watched.folder, seal=self._seal, quotas=self._quotas)
            if self._readers.listen(run_id, watched.folder):
                self._heed(watched)  # SYNC: who asked before we listened left the time of it
            turn = watched.ingest.turn()
            settled = not turn.more and not turn.advanced and watched.ingest.settle()
            summary = watched.ingest.summary() if settled else turn.summary
        except _ONE_RUN_FAILED as error:
            watched.close()
            low, high = self._retry_secs
            watched.pause_secs = min(max(watched.pause_secs * 2, low), high)
            retry_at = self._clock() + watched.pause_secs
            watched.standing = replace(watched.standing, retry_at=retry_at, more=False)
            self._say(run_id, error=_words(error))
            return
        watched.pause_secs = 0.0
        if not turn.more:
            freshness.stamp(watched.folder, watched.began_nanos)
        watched.standing = self._after(watched.standing, began, turn)
        if summary != watched.told or settled:
            watched.told = summary
            self._say(run_id, summary=summary, settled=settled)
        if settled:
            self._readers.forget(run_id)
            freshness.clear(watched.folder)
            watched.close()
            del self._runs[run_id]

    def _after(self, before: Standing, began: float, turn: Turn) -> Standing:
        """What is known of a run after a turn."""
        now = self._clock()
        apart_secs = began - before.last if before.last is not None else 0.0
        return replace(
            before,
            last=began,
            work_secs=now - began,
            bytes_per_sec=turn.read_bytes / apart_secs if apart_secs > 0 else 0.0,
            first_at=before.first_at if before.first_at is not None else now if turn.advanced else None,
            more=turn.more or (turn.over and turn.advanced),
            ending=before.ending or turn.over,
            poked=False,
            retry_at=0.0,
        )

    def _go_on_rebuilding(self, run_id: str, watched: _Watched) -> None:
        assert watched.rebuild is not None  # noqa: S101  (the caller checked)
        try:
            summary = watched.rebuild.turn()
        except _ONE_RUN_FAILED as error:
            self._say(run_id, error=_words(error), done="rebuild")
        else:
            if summary is None:
                return
            self._say(run_id, summary=summary, done="rebuild")
        watched.close()
        self._drop_unwatched(run_id)

    def _drop_unwatched(self, run_id: str) -> None:
        if not self._runs[run_id].watch:
            del self._runs[run_id]

    def _say(
        self,
        run_id: str,
        *,
        summary: StoreSummary | None = None,
        settled: bool = False,
        error: str | None = None,
        done: str | None = None,
    ) -> None:
        line: dict[str, Any] = {"run_id": run_id, "settled": settled, "error": error}
        if summary is not None:
            fields = msgspec.to_builtins(summary)
            line["summary"] = {k: floats.to_json(v) if isinstance(v, float) else v for k, v in fields.items()}
        if done is not None:
            line["done"] = done
        must = settled or done is not None
        self._out.put(run_id, msgspec.json.encode(line) + b"\n", must=must)


def _words(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    return (
        text
        if isinstance(error, (MosaicError, OSError, ProtocolError))
        else f"{type(error).__name__}: {text}"
    )


def main() -> None:
    """Run on this process's own stdin and stdout.

    `--no-seal` leaves the journals uncompressed; `--quotas-mib A B C`: of stdout, stderr, quarantine.
    """
    # Events are many objects and no cycles: looking for cycles at every 700 costs about a tenth of the speed.
    gc.set_threshold(50_000)
    words = argparse.ArgumentParser()
    words.add_argument("--no-seal", action="store_true")
    words.add_argument("--quotas-mib", nargs=3, type=int)
    given = words.parse_args()
    quotas = Quotas(*(mib << 20 for mib in given.quotas_mib or ()))
    process = IngestProcess(sys.stdin.fileno(), sys.stdout.fileno(), seal=not given.no_seal, quotas=quotas)
    try:
        process.run()
    except (KeyboardInterrupt, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
