"""The ingest process, `python -m mosaic.daemon.ingest`: orders on stdin, news on stdout, both JSON lines.

Runs take turns, a bounded piece each, so that one that floods cannot hold up the others. One that fails is
reported, left alone for a while and tried again. The store is the source and news only hints at it: ingest
merges news that nobody reads, per run, and never waits for a reader. Ends when stdin ends.
"""

from __future__ import annotations

import gc
import os
import select
import sys
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.errors import MosaicError, ProtocolError
from mosaic.paths import RunFolder
from mosaic.protocol import floats
from mosaic.store.ingest import RunIngest
from mosaic.store.rebuild import Rebuild

if TYPE_CHECKING:
    from mosaic.protocol.rows import StoreSummary

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
    ingest: RunIngest | None = None
    rebuild: Rebuild | None = None
    watch: bool = True
    retry_at: float = 0.0
    pause_secs: float = 0.0
    told: StoreSummary | None = None

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


class IngestProcess:
    """Ingests the runs that the daemon orders it to watch.

    Args:
        stdin: descriptor of the orders.
        stdout: descriptor for the news.
        idle_secs: the shortest and the longest pause when nothing is new; doubled while nothing comes.
        retry_secs: the same for a run that failed.
        seal: compress journal segments once they are in the store.
    """

    def __init__(
        self,
        stdin: int,
        stdout: int,
        *,
        idle_secs: tuple[float, float] = (0.025, 0.25),
        retry_secs: tuple[float, float] = (0.5, 30.0),
        seal: bool = True,
    ) -> None:
        self._stdin = stdin
        os.set_blocking(stdin, False)
        self._out = Outbox(stdout)
        self._idle_secs, self._retry_secs = idle_secs, retry_secs
        self._seal = seal
        self._runs: dict[str, _Watched] = {}
        self._orders = b""

    def run(self) -> None:
        """Work until stdin ends."""
        pause_secs = 0.0
        try:
            while self._listen(pause_secs):
                busy = False
                for run_id in list(self._runs):
                    busy = self._take_turn(run_id) or busy
                    self._out.flush()
                pause_secs = 0.0 if busy else min(max(pause_secs * 2, self._idle_secs[0]), self._idle_secs[1])
        finally:
            for watched in self._runs.values():
                watched.close()

    def _listen(self, timeout_secs: float) -> bool:
        """Take in orders, waiting at most that long; False at the end of stdin."""
        writing = [self._out.fd] if self._out.waiting() else []
        readable, _, _ = select.select([self._stdin], writing, [], timeout_secs)
        self._out.flush()
        if not readable:
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
            watched = self._runs.setdefault(run_id, _Watched(folder))
            watched.watch = True
        elif order.cmd == "forget":
            found = self._runs.pop(run_id, None)
            if found is not None:
                found.close()
        elif order.cmd == "rebuild":
            self._start_rebuild(run_id, folder)
        else:
            self._say(run_id, error=f"order {order.cmd!r} is none of watch, forget, rebuild")

    def _start_rebuild(self, run_id: str, folder: RunFolder) -> None:
        watched = self._runs.setdefault(run_id, _Watched(folder, watch=False))
        watched.close()
        try:
            watched.rebuild = Rebuild(folder)
        except _ONE_RUN_FAILED as error:
            self._say(run_id, error=_words(error), done="rebuild")
            self._drop_unwatched(run_id)

    def _take_turn(self, run_id: str) -> bool:
        """One turn of one run; whether there is more to do at once."""
        watched = self._runs[run_id]
        if watched.rebuild is not None:
            return self._go_on_rebuilding(run_id, watched)
        if time.monotonic() < watched.retry_at:
            return False
        try:
            if watched.ingest is None:
                watched.ingest = RunIngest(watched.folder, seal=self._seal)
            turn = watched.ingest.turn()
            settled = not turn.more and not turn.advanced and watched.ingest.settle()
            summary = watched.ingest.summary()
        except _ONE_RUN_FAILED as error:
            watched.close()
            low, high = self._retry_secs
            watched.pause_secs = min(max(watched.pause_secs * 2, low), high)
            watched.retry_at = time.monotonic() + watched.pause_secs
            self._say(run_id, error=_words(error))
            return False
        watched.pause_secs = 0.0
        if summary != watched.told or settled:
            watched.told = summary
            self._say(run_id, summary=summary, settled=settled)
        if settled:
            watched.close()
            del self._runs[run_id]
        return turn.more or turn.advanced

    def _go_on_rebuilding(self, run_id: str, watched: _Watched) -> bool:
        assert watched.rebuild is not None  # noqa: S101  (the caller checked)
        try:
            summary = watched.rebuild.turn()
        except _ONE_RUN_FAILED as error:
            self._say(run_id, error=_words(error), done="rebuild")
        else:
            if summary is None:
                return True
            self._say(run_id, summary=summary, done="rebuild")
        watched.close()
        self._drop_unwatched(run_id)
        return True

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
    """Run on this process's own stdin and stdout. `--no-seal` leaves the journals uncompressed."""
    # Events are many objects and no cycles: looking for cycles at every 700 costs about a tenth of the speed.
    gc.set_threshold(50_000)
    process = IngestProcess(sys.stdin.fileno(), sys.stdout.fileno(), seal="--no-seal" not in sys.argv[1:])
    try:
        process.run()
    except (KeyboardInterrupt, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
