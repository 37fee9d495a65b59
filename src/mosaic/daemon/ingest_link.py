"""The daemon's end of the line to the ingest process: start it, tell it what to watch, hear what it did.

Ingest reads orders as JSON lines and answers with JSON lines. When it dies it is started again after a
growing pause and told everything anew; nothing is lost, for what it reads and what it makes are both on disk.
Refuses to block its caller: orders go through a queue, news come on a thread of ours.
"""

from __future__ import annotations

import logging
import queue
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, get_args

import msgspec

from mosaic.errors import DaemonError, ProtocolError
from mosaic.protocol import floats
from mosaic.protocol.rows import StoreSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mosaic.paths import RunFolder

__all__ = ["IngestLink", "News", "ingest_command"]

_log = logging.getLogger(__name__)

_TEXTS = {field.name for field in msgspec.structs.fields(StoreSummary) if str in get_args(field.type)}
"""What of a summary is text."""


def ingest_command(*, seal: bool = True, quotas_mib: Sequence[int] = ()) -> list[str]:
    """How the ingest process is started. `quotas_mib`: of stdout, stderr and quarantine, if not the usual."""
    quotas = ["--quotas-mib", *map(str, quotas_mib)] if quotas_mib else []
    return [sys.executable, "-m", "mosaic.daemon.ingest", *([] if seal else ["--no-seal"]), *quotas]


class News(msgspec.Struct, frozen=True, kw_only=True):
    """One thing ingest said about one run. `done` names the order it answers, if it answers one."""

    run_id: str
    summary: StoreSummary | None = None
    settled: bool = False
    error: str | None = None
    done: str | None = None


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    run_id: str
    summary: dict[str, Any] | None = None
    settled: bool = False
    error: str | None = None
    done: str | None = None


class IngestLink:
    """One ingest process, kept alive until `close`.

    Args:
        on_news: Called on the link's own thread with everything ingest says. Must not block.
        command: How to start ingest, when not in the usual way.
        first_pause_secs: How long to wait before the first restart; doubled up to `last_pause_secs` while it
            keeps dying without a word.
        last_pause_secs: The longest wait between two starts.
        close_secs: How long ingest may take to end before it is killed.
    """

    def __init__(
        self,
        on_news: Callable[[News], None],
        *,
        command: Sequence[str] = (),
        first_pause_secs: float = 0.1,
        last_pause_secs: float = 5.0,
        close_secs: float = 5.0,
    ) -> None:
        self._on_news = on_news
        self._command = list(command) or ingest_command()
        self._first_pause_secs, self._last_pause_secs = first_pause_secs, last_pause_secs
        self._close_secs = close_secs
        self._watched: dict[str, RunFolder] = {}
        self._orders: queue.SimpleQueue[dict[str, str] | None] = queue.SimpleQueue()
        self._waiting: dict[str, queue.SimpleQueue[News]] = {}
        self._guard = threading.Lock()  # over the four above and the process
        self._closing = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="ingest-link", daemon=True)

    def start(self) -> None:
        """Start ingest and keep it running."""
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The ingest process, when there is one."""
        process = self._process
        return None if process is None else process.pid

    def watch(self, folder: RunFolder) -> None:
        """Have a run ingested until it is settled. Again is fine."""
        with self._guard:
            self._watched[folder.run_id] = folder
        self._order("watch", folder)

    def forget(self, folder: RunFolder) -> None:
        """Have ingest let go of a run."""
        with self._guard:
            self._watched.pop(folder.run_id, None)
        self._order("forget", folder)

    def rebuild(self, folder: RunFolder, *, timeout_secs: float = 600.0) -> StoreSummary:
        """Have a store made anew from its journal, and wait for that.

        Raises:
            DaemonError: ingest could not, or did not answer in time.
        """
        answers: queue.SimpleQueue[News] = queue.SimpleQueue()
        with self._guard:
            self._waiting[folder.run_id] = answers
        self._order("rebuild", folder)
        try:
            news = answers.get(timeout=timeout_secs)
        except queue.Empty:
            raise DaemonError(f"ingest did not rebuild {folder.run_id} within {timeout_secs:g} s") from None
        finally:
            with self._guard:
                self._waiting.pop(folder.run_id, None)
        if news.error is not None or news.summary is None:
            raise DaemonError(f"rebuilding {folder.run_id} failed: {news.error or 'ingest gave no summary'}")
        return news.summary

    def close(self) -> None:
        """End ingest and wait for it. Twice is fine."""
        self._closing.set()
        self._orders.put(None)
        if self._thread.is_alive():
            self._thread.join(self._close_secs)
            with self._guard:
                process = self._process
            if self._thread.is_alive() and process is not None:
                process.kill()
            self._thread.join()

    def _order(self, cmd: str, folder: RunFolder) -> None:
        self._orders.put({"cmd": cmd, "run_dir": str(folder.path)})

    def _keep(self) -> None:
        pause_secs = self._first_pause_secs
        while not self._closing.is_set():
            spoke = self._live_once()
            if self._closing.is_set():
                return
            pause_secs = self._first_pause_secs if spoke else min(pause_secs * 2, self._last_pause_secs)
            _log.warning("ingest ended; starting it again in %.1f s", pause_secs)
            self._closing.wait(pause_secs)

    def _live_once(self) -> bool:
        """One life of ingest, from start to end; whether it said anything."""
        try:
            process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError:
            _log.exception("ingest cannot be started")
            return False
        with self._guard:
            self._process = process
            first = [{"cmd": "watch", "run_dir": str(folder.path)} for folder in self._watched.values()]
        assert process.stdin is not None  # noqa: S101  (we asked for both pipes)
        assert process.stdout is not None  # noqa: S101
        ended = threading.Event()
        sender = threading.Thread(target=self._send, args=(process.stdin, first, ended), daemon=True)
        sender.start()
        spoke = False
        with process.stdout as lines:
            for line in lines:
                spoke = True
                self._hear(line)
        ended.set()
        self._orders.put({})  # wakes the sender
        sender.join()
        process.wait()
        with self._guard:
            self._process = None
            waiting = dict(self._waiting)
        for run_id, answers in waiting.items():
            answers.put(News(run_id=run_id, error="ingest ended before it was done. Ask again."))
        return spoke

    def _send(self, pipe: IO[bytes], first: list[dict[str, str]], ended: threading.Event) -> None:
        try:
            with pipe:
                for order in first:
                    pipe.write(msgspec.json.encode(order) + b"\n")
                pipe.flush()
                while not ended.is_set():
                    given = self._orders.get()
                    if given is None:
                        return
                    if given:
                        pipe.write(msgspec.json.encode(given) + b"\n")
                        pipe.flush()
        except (BrokenPipeError, ValueError):
            return  # it died: the next life is told everything it must watch

    def _hear(self, line: bytes) -> None:
        try:
            news = _understand(line)
        except (msgspec.DecodeError, ProtocolError) as error:
            _log.warning("ingest said %r: %s", line[:200], error)
            return
        with self._guard:
            waiting = self._waiting.get(news.run_id) if news.done == "rebuild" else None
            if news.settled:
                self._watched.pop(news.run_id, None)
        self._on_news(news)
        if waiting is not None:
            waiting.put(news)


def _understand(line: bytes) -> News:
    said = msgspec.json.decode(line, type=_Line)
    summary = None
    if said.summary is not None:
        # A text where the summary has none is the name of a float (see `floats`).
        plain = {
            name: floats.from_json(value) if isinstance(value, str) and name not in _TEXTS else value
            for name, value in said.summary.items()
        }
        summary = msgspec.convert(plain, StoreSummary)
    return News(run_id=said.run_id, summary=summary, settled=said.settled, error=said.error, done=said.done)
