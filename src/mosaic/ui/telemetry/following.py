"""A run's steps and episodes as they come, on threads of their own; the window is told ten times a second.

Goes by cursor, so it continues where it was when the daemon has died and come back. A stream that falls
further behind than a view can show is moved to the head, and says what it left out. Starts no daemon.
"""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mosaic.errors import MosaicError
from mosaic.rpc.launch import connect
from mosaic.rpc.records import Batch, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from mosaic.paths import DataRoot
    from mosaic.protocol.rows import EpisodeRow
    from mosaic.rpc.client import Client
    from mosaic.rpc.records import StepOf

__all__ = ["Follower", "follow_episodes", "follow_steps"]

T = TypeVar("T")


class Follower(Generic[T]):
    """One stream of one run.

    Args:
        root: the data root.
        run_id: the run.
        open_: opens the stream: client, cursor and how many rows a batch may have.
        post: has a call made on the window's thread.
        take: given each batch there.
        lost: told there why the stream broke; it is tried again.
        complete: told there that the run has ended and all was sent.
        first: rows from before the stream begins, and the cursor it begins at.
        keep: how many rows the view can show; further behind than that, the stream is moved to the head.
        period_secs: how often at most a batch is taken; its credit is held back meanwhile.
        retry_secs: how long after a break it is tried again.
    """

    def __init__(
        self,
        root: DataRoot,
        run_id: str,
        *,
        open_: Callable[[Client, int, int], Generator[Batch[T], None, None]],
        post: Callable[[Callable[[], object]], None],
        take: Callable[[Batch[T]], object],
        lost: Callable[[str], object],
        complete: Callable[[], object],
        first: Callable[[Client, int], Batch[T]],
        keep: int,
        period_secs: float = 0.1,
        retry_secs: float = 0.5,
    ) -> None:
        self._root, self._run_id = root, run_id
        self._open, self._first = open_, first
        self._post, self._take, self._lost, self._complete = post, take, lost, complete
        self._keep, self._period_secs, self._retry_secs = keep, period_secs, retry_secs
        self._stop = threading.Event()
        self._client: Client | None = None
        self._cursor: int | None = None
        self._thread = threading.Thread(target=self._run, name=f"follow {run_id[-6:]}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Follow no more; nothing is told any more. Never waits."""
        self._stop.set()
        client = self._client
        if client is not None:  # closing talks to the network: not on the caller's thread
            threading.Thread(target=client.close, name="unfollow", daemon=True).start()

    def join(self, timeout_secs: float) -> bool:
        """Wait until the thread has ended; whether it has."""
        self._thread.join(timeout_secs)
        return not self._thread.is_alive()

    # ---- on its own thread ----

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with connect(self._root, start=False, wait_secs=5) as client:
                    # SYNC: `stop` sets the event, then looks for the client; we do it the other way round.
                    self._client = client
                    if self._stop.is_set() or self._follow(client):
                        self._tell(self._complete)
                        return
            except MosaicError as error:
                self._tell(self._lost, str(error))
            except ValueError:  # the channel was closed under us
                if not self._stop.is_set():
                    raise
            finally:
                self._client = None
            self._stop.wait(self._retry_secs)

    def _follow(self, client: Client) -> bool:
        """Follow until the run is complete; False when told to stop."""
        if self._cursor is None:
            begin = self._first(client, self._keep)
            self._deliver(begin)
        while True:
            with closing(self._open(client, self._cursor or 0, self._keep)) as batches:
                for batch in batches:
                    self._deliver(batch)
                    if self._stop.is_set():
                        return False
                    if not batch.live and self._jump(client):
                        break
                    if self._stop.wait(self._period_secs):
                        return False
                else:
                    return True

    def _jump(self, client: Client) -> bool:
        """Move to the head when more is waiting than the view can show."""
        here, head = self._cursor or 0, client.run(self._run_id).store_seq
        if head - here <= 2 * self._keep:
            return False
        there = head - self._keep
        self._deliver(Batch(rows=[], next_seq=there, live=False, skipped=Skipped(here, there)))
        return True

    def _deliver(self, batch: Batch[T]) -> None:
        self._cursor = batch.next_seq
        self._tell(self._take, batch)

    def _tell(self, call: Callable[..., object], *given: Any) -> None:
        self._post(lambda: None if self._stop.is_set() else call(*given))


def follow_steps(
    root: DataRoot,
    run_id: str,
    *,
    post: Callable[[Callable[[], object]], None],
    take: Callable[[Batch[StepOf]], object],
    lost: Callable[[str], object],
    complete: Callable[[], object],
    keep: int,
) -> Follower[StepOf]:
    """The newest steps of a run, and those that come."""

    def open_(client: Client, cursor: int, rows: int) -> Generator[Batch[StepOf], None, None]:
        return client.stream_steps(run_id, since_seq=cursor, credits=1, coalesce=True, batch_rows=rows)

    def first(client: Client, rows: int) -> Batch[StepOf]:
        return Batch(rows=[], next_seq=max(0, client.run(run_id).store_seq - rows))

    return Follower(
        root, run_id, open_=open_, post=post, take=take, lost=lost, complete=complete, first=first, keep=keep
    )


def follow_episodes(
    root: DataRoot,
    run_id: str,
    *,
    post: Callable[[Callable[[], object]], None],
    take: Callable[[Batch[EpisodeRow]], object],
    lost: Callable[[str], object],
    complete: Callable[[], object],
    keep: int,
) -> Follower[EpisodeRow]:
    """The newest episodes of a run, and those that come or change."""

    def open_(client: Client, cursor: int, rows: int) -> Generator[Batch[EpisodeRow], None, None]:
        return client.stream_episodes(run_id, since_seq=cursor, credits=1, coalesce=True, batch_rows=rows)

    def first(client: Client, rows: int) -> Batch[EpisodeRow]:
        row = client.run(run_id)  # before the page: what changes in between comes again
        begin = max(0, row.episodes - rows)
        page = client.episodes(run_id, first_index=begin, limit=2 * rows)
        return Batch(rows=page, next_seq=row.store_seq)

    return Follower(
        root, run_id, open_=open_, post=post, take=take, lost=lost, complete=complete, first=first, keep=keep
    )
