"""Following a run's store by cursor: history first, then live, without a seam, never more than asked for.

A stream keeps a cursor and a count of credits, no rows: what a slow reader has not asked for stays in the
store. So a reader that stops costs nothing, and there is nothing to drop. While it reads at the head it holds
a lease on the store's freshness; a reader of history, and one that waits for credits, needs none.
"""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from mosaic.daemon.sources import SOURCES, Page, Source
from mosaic.errors import StoreError, UsageError
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.runs import freshness
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from mosaic.daemon.bus import RunBus
    from mosaic.paths import RunFolder

__all__ = ["StreamDesk"]


class _Credits:
    """What a reader allows us to send. Fed by its later requests until it sends no more."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.closed = False
        self.changed = asyncio.Event()

    async def feed(self, requests: AsyncIterator[Any]) -> None:
        async for request in requests:
            self.count += max(0, request.credits)
            self.changed.set()
        self.closed = True
        self.changed.set()

    async def available(self) -> bool:
        """Wait for a credit; False when none is left and none will come."""
        while self.count < 1:
            if self.closed:
                return False
            self.changed.clear()
            await self.changed.wait()
        return True


class StreamDesk:
    """Serves reading streams.

    A batch holds at most `batch_rows` rows and about `batch_bytes` bytes. A live reader that grants nothing
    for `starved_secs` is moved to the head if it asked for that. The store is looked at when the bus says so,
    and every `idle_secs` in any case; one that cannot be read for `patience_secs` ends the stream. `threads`
    read at a time; other streams wait their turn. A live reader's lease lasts `lease_secs`, and is prolonged
    when half of it is over.
    """

    def __init__(
        self,
        bus: RunBus[int],
        *,
        batch_rows: int = 2048,
        batch_bytes: int = 1 << 20,
        starved_secs: float = 2.0,
        idle_secs: float = 1.0,
        patience_secs: float = 5.0,
        threads: int = 4,
        lease_secs: float = 3.0,
    ) -> None:
        self._lease_secs = lease_secs
        self._bus = bus
        self._batch_rows = batch_rows
        self._batch_bytes = batch_bytes
        self._starved_secs = starved_secs
        self._idle_secs = idle_secs
        self._patience_secs = patience_secs
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="read")

    async def serve(
        self,
        name: str,
        folder: RunFolder,
        opening: Any,
        *,
        requests: AsyncIterator[Any],
        send: Callable[[Any], Awaitable[None]],
        is_complete: Callable[[], Awaitable[bool]],
    ) -> None:
        """Serve one stream until the run is complete and all of it was sent, or the reader leaves.

        `is_complete` says whether nothing will be added to the store any more.
        """
        if opening.credits < 1:
            raise UsageError(f"a stream needs at least one credit to start with, not {opening.credits}")
        stream = _Stream(self, SOURCES[name](opening.kind), folder, opening)
        credits_ = _Credits(opening.credits)
        feeding = asyncio.ensure_future(credits_.feed(requests))
        try:
            with self._bus.subscribe(folder.run_id) as news:
                while await stream.wait_for_credit(credits_):
                    # SYNC: asked before the store is read: what was complete then is read completely now.
                    complete = await is_complete()
                    try:
                        batch = await stream.next_batch()
                    except StoreError:
                        if complete or stream.unreadable_secs() > self._patience_secs:
                            raise
                        await news.take_within(self._idle_secs)  # it is being made, or made anew
                        continue
                    if batch is not None:
                        credits_.count -= 1
                        await send(batch)
                    if stream.live:
                        if complete:
                            return
                        stream.keep_fresh(self._lease_secs)
                        await news.take_within(self._idle_secs)
        finally:
            feeding.cancel()
            self._pool.submit(stream.close)

    def close(self) -> None:
        """End the reading threads."""
        self._pool.shutdown()

    async def read(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run a blocking read of a store in one of the desk's threads."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    def limits(self, wanted_rows: int) -> tuple[int, int]:
        """Rows and bytes of a batch for a reader who wants that many rows (0: as many as we allow)."""
        return min(wanted_rows or self._batch_rows, self._batch_rows), self._batch_bytes

    @property
    def starved_secs(self) -> float:
        """How long a reader may grant nothing before it counts as starved."""
        return self._starved_secs


class _Stream:
    """One reader's cursor, and how the next batch is made from it."""

    def __init__(self, desk: StreamDesk, source: Source, folder: RunFolder, opening: Any) -> None:
        self.live = False
        self._desk = desk
        self._source = source
        self._folder = folder
        self._cursor = max(0, opening.since_seq)
        self._coalesce = opening.when_starved == pb.COALESCE
        self._most_rows, self._batch_bytes = desk.limits(max(0, opening.batch_rows))
        self._rows = min(64, self._most_rows)  # grows while rows turn out small: a page is never huge
        self._told_live = False
        self._starved = False
        self._lease_due = 0.0
        self._unreadable_since: float | None = None
        self._reader: StoreReader | None = None
        self._closed = False
        self._reading = threading.Lock()  # a cancelled stream closes while its last read may still go on

    async def wait_for_credit(self, credits_: _Credits) -> bool:
        """Wait for a credit, and note whether that took too long for a live view."""
        clock = asyncio.get_running_loop().time
        since = clock()
        if not await credits_.available():
            return False
        self._starved = self._coalesce and self._told_live and clock() - since > self._desk.starved_secs
        return True

    async def next_batch(self) -> Any:
        """The next batch, or None when there is nothing to say."""
        page, skipped = await self._desk.read(self._read)
        self._unreadable_since = None
        self._cursor = page.next_seq
        self.live = not page.more
        if not page.rows and skipped is None and (self._told_live or not self.live):
            return None
        self._told_live = self._told_live or self.live
        return self._source.batch_type(
            rows=page.rows, next_seq=page.next_seq, live=self.live, skipped=skipped
        )

    def keep_fresh(self, lease_secs: float) -> None:
        """Take or prolong the lease on the store, when that is due."""
        now = time.monotonic()
        if now >= self._lease_due:
            self._lease_due = now + lease_secs / 2
            freshness.keep_fresh(self._folder, secs=lease_secs)

    def unreadable_secs(self) -> float:
        """For how long the store could not be read, counted from the first call after it last could."""
        now = time.monotonic()
        self._unreadable_since = self._unreadable_since or now
        return now - self._unreadable_since

    def close(self) -> None:
        """Close the store, after a read that may still be going on."""
        with self._reading:
            self._closed = True
            if self._reader is not None:
                self._reader.close()

    def _read(self) -> tuple[Page, Any]:
        with self._reading:
            if self._reader is None or self._closed:
                if self._closed or not self._folder.store.exists():
                    return Page([], self._cursor, more=False), None  # nobody listens, or ingest has not begun
                self._reader = StoreReader(self._folder, cached_chunks=4)
            reader = self._reader
            page = self._page(reader, self._cursor)
            if not (self._starved and page.more):
                return page, None
            head = reader.summary().store_seq
            # Sequence numbers count events of all kinds, so at most one batch of rows lies behind this one.
            near_head = max(page.next_seq, head - self._most_rows)
            self._source.restart()
            skipped = pb.Skipped(from_seq=self._cursor, to_seq=near_head)
            return self._page(reader, near_head), skipped

    def _page(self, reader: StoreReader, since_seq: int) -> Page:
        page = self._source.read(reader, since_seq, limit=self._rows)
        size = sum(row.ByteSize() for row in page.rows)
        if size > self._batch_bytes and len(page.rows) > 1:
            return self._cut(page, since_seq)
        if size < self._batch_bytes // 2:
            self._rows = min(self._rows * 2, self._most_rows)
        return page

    def _cut(self, page: Page, since_seq: int) -> Page:
        """The first rows of a page, as many as a batch may weigh; the others are read again later."""
        room = self._batch_bytes
        kept: list[Any] = []
        for row in page.rows:
            room -= row.ByteSize()
            if kept and room < 0:
                break
            kept.append(row)
        self._rows = max(1, len(kept))
        if len(kept) == len(page.rows):
            return page
        return Page(kept, self._source.cut_after(kept[-1], since_seq), more=True)
