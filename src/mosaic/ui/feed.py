"""Keeps the run list true: follows the daemon, and reads the files while there is none.

One thread, not the window's. What it learns is put into a dict of the latest rows and handed over at most ten
times a second, so a thousand changing runs cost the window no more than one.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from mosaic.app import run_index
from mosaic.errors import DaemonError, MosaicError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mosaic.protocol.runs import RunRow
    from mosaic.rpc.client import Client
    from mosaic.ui.context import Context

__all__ = ["Feed"]

_WAIT_SECS = 20.0  # for one attempt: a busy machine starts a daemon slowly


class Feed(QObject):
    """Follows the runs of the context's data root into its `runs` and `link`.

    Args:
        context: whose run list and link are kept.
        gap_secs: the least time between two updates of the run list.
        grace_secs: how long a daemon that went away may come back by itself before one is started.
        longest_wait_secs: the longest pause between two attempts to connect; they start short and double.
    """

    def __init__(
        self,
        context: Context,
        *,
        gap_secs: float = 0.1,
        grace_secs: float = 1.0,
        longest_wait_secs: float = 5.0,
    ) -> None:
        super().__init__()
        self._context = context
        self._gap_secs = gap_secs
        self._grace_secs = grace_secs
        self._longest_wait_secs = longest_wait_secs
        self._lock = threading.Lock()
        self._rows: dict[str, RunRow] = {}  # at most one row per run
        self._gone: set[str] = set()
        self._known: set[str] = set()
        self._woken = False
        self._closing = threading.Event()
        self._client: Client | None = None
        self._handed_at = 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._hand_over)
        self._thread = threading.Thread(target=self._follow, name="feed", daemon=True)

    def start(self) -> None:
        """Begin to follow. Returns at once."""
        self._thread.start()

    def close(self, *, timeout_secs: float = _WAIT_SECS + 5) -> None:
        """End the connection and the thread. Twice is fine."""
        self._closing.set()
        with self._lock:
            client = self._client
        if client is not None:
            client.close()
        if self._thread.is_alive():
            self._thread.join(timeout_secs)
        self._timer.stop()

    # On the thread.

    def _follow(self) -> None:
        lost_at: float | None = None
        tries = 0
        self._read_files()  # the list is there before the daemon is
        while not self._closing.is_set():
            try:
                self._post_link("connecting", "Waiting for the daemon to answer…")
                client = self._connect(start=lost_at is None or time.monotonic() > lost_at + self._grace_secs)
                with client:
                    with self._lock:
                        self._client = client
                    tries = 0
                    lost_at = time.monotonic()  # from when on it is gone, whenever that turns out
                    self._watch(client)
            except MosaicError as error:
                if self._closing.is_set():
                    return
                if tries == 0:
                    lost_at = time.monotonic()
                self._post_link("lose", self._plan(error, tries))
            finally:
                with self._lock:
                    self._client = None
            self._read_files()
            self._closing.wait(min(0.25 * 2**tries, self._longest_wait_secs))
            tries += 1

    def _connect(self, *, start: bool) -> Client:
        from mosaic.rpc.launch import connect

        return connect(self._context.root, start=start, wait_secs=_WAIT_SECS)

    def _watch(self, client: Client) -> None:
        """Follow every change until the connection ends."""
        seen: set[str] | None = set()
        for change in client.watch_changes():
            if self._closing.is_set():
                return
            if change.caught_up:
                self._put([], gone=self._known - (seen or set()))
                seen = None
                self._post_link("connect", "")
            elif change.row is not None and change.deleted:
                self._put([], gone=[change.row.run_id])
            elif change.row is not None:
                if seen is not None:
                    seen.add(change.row.run_id)
                self._put([change.row])
        raise DaemonError("The daemon ended the connection.")

    def _read_files(self) -> None:
        """The rows as the files have them, so that states stay true without a daemon."""
        try:
            rows = run_index.rows(self._context.root)
        except (MosaicError, OSError):
            return  # the next attempt reads them again
        self._put(rows, gone=self._known - {row.run_id for row in rows})

    def _plan(self, error: MosaicError, tries: int) -> str:
        log = self._context.root.daemon_log
        if tries == 0:
            return "What you see is read from the files meanwhile; runs go on without it."
        return f"Attempt {tries + 1}: {error} Its log: {log}"

    def _put(self, rows: Iterable[RunRow], *, gone: Iterable[str] = ()) -> None:
        with self._lock:
            for row in rows:
                self._rows[row.run_id] = row
                self._known.add(row.run_id)
                self._gone.discard(row.run_id)
            for run_id in list(gone):
                self._rows.pop(run_id, None)
                self._known.discard(run_id)
                self._gone.add(run_id)
            if self._woken or not (self._rows or self._gone):
                return
            self._woken = True
        self._context.bridge.post(self._wake)

    def _post_link(self, what: str, text: str) -> None:
        link = self._context.link
        call = {
            "connecting": lambda: link.connecting(text),
            "connect": link.connect,
            "lose": lambda: link.lose(text),
        }[what]
        self._context.bridge.post(call)

    # On the window's thread.

    def _wake(self) -> None:
        left = self._handed_at + self._gap_secs - time.monotonic()
        if left <= 0:
            self._hand_over()
        elif not self._timer.isActive():
            self._timer.start(max(1, round(left * 1000)))

    def _hand_over(self) -> None:
        with self._lock:
            rows, gone = list(self._rows.values()), list(self._gone)
            self._rows, self._gone, self._woken = {}, set(), False
        self._handed_at = time.monotonic()
        self._context.runs.update(rows, gone=gone)
        for run_id in gone:
            self._context.selection.forget(run_id)
