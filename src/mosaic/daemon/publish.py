"""Publishing over gRPC: batches into a run's journal, in order, each event once, acknowledged once written.

Knows workers by the name they chose, so that one which reconnects, to this daemon or the next, goes on where
the journal ends. Refuses a foreign protocol version, an ended run, and a registration that was replaced.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import mosaic
from mosaic.daemon.appender import SegmentAppender, find_last_seq
from mosaic.daemon.lines import hello_line
from mosaic.errors import DaemonError, ProtocolError
from mosaic.protocol.events import PROTOCOL_VERSION
from mosaic.rpc.pb import trainer_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from mosaic.paths import RunFolder

    Encode = Callable[..., bytes]

__all__ = ["CAPABILITIES", "PublishDesk", "WorkerFeed"]

CAPABILITIES = ("steps", "episodes", "events")
_MAX_WORKER_ID_CHARS = 200


class WorkerFeed:
    """What one worker adds to one run's journal. Belongs to the event loop; files are touched in `pool`.

    A batch that comes before its turn (its predecessors travel on another stream) waits `gap_secs` for it.
    """

    def __init__(
        self,
        folder: RunFolder,
        worker_id: str,
        *,
        segment_bytes: int,
        gap_secs: float,
        pool: ThreadPoolExecutor,
    ) -> None:
        self.producer = f"g{hashlib.sha256(worker_id.encode()).hexdigest()[:12]}"
        self.registration = ""  # the key of the one in force; on the wire it is called `session`
        self.acked_seq = 0
        self._worker_id = worker_id
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._gap_secs = gap_secs
        self._pool = pool
        self._turn = asyncio.Condition()
        self._appender: SegmentAppender | None = None
        self._ended = False

    async def register(self, *, program: str) -> None:
        """Begin a new registration; the one before it, if any, is over."""
        async with self._turn:
            if self._appender is None:
                await self._in_pool(self._open, program)
            self.registration = secrets.token_hex(16)
            self._turn.notify_all()

    async def publish(self, registration: str, first_seq: int, events: Sequence[Any], encode: Encode) -> int:
        """Write what is new of a batch; the highest number that is in the journal now.

        Raises:
            ProtocolError: numbers start at 1.
            DaemonError: the registration or the run is over, numbers are missing, or the disk is full.
        """
        if first_seq < 1:
            raise ProtocolError(f"first_seq is {first_seq}; the first event of a worker has number 1")
        async with self._turn:
            await self._wait_for_turn(registration, first_seq)
            new = events[self.acked_seq + 1 - first_seq :]
            if new:
                await self._in_pool(self._append, new, encode)
                self._turn.notify_all()
            return self.acked_seq

    async def close(self) -> None:
        """The run has ended: the segment is final, and later batches are refused."""
        async with self._turn:
            self._ended = True
            if self._appender is not None:
                await self._in_pool(self._appender.close)
            self._turn.notify_all()

    async def _wait_for_turn(self, registration: str, first_seq: int) -> None:
        def ready() -> bool:
            return self._ended or registration != self.registration or first_seq <= self.acked_seq + 1

        try:
            await asyncio.wait_for(self._turn.wait_for(ready), self._gap_secs)
        except asyncio.TimeoutError:
            raise DaemonError(
                f"worker {self._worker_id!r} sent event {first_seq}, but {self.acked_seq + 1} is next. "
                "Send from there."
            ) from None
        if self._ended:
            raise DaemonError(f"run {self._folder.run_id} has ended; nothing can be added to it.")
        if registration != self.registration:
            raise DaemonError(
                f"this registration of worker {self._worker_id!r} is over: it registered again. "
                "Two workers of a run need two worker ids."
            )

    async def _in_pool(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Run in the pool, to its end even when the caller is cancelled: a half-counted append would lie."""
        future = asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)
        try:
            await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait([future])
            raise

    def _open(self, program: str) -> None:
        last = find_last_seq(self._folder.journal, self.producer)
        appender = SegmentAppender(self._folder.journal, self.producer, segment_bytes=self._segment_bytes)
        try:
            if last is None:
                appender.append(hello_line(self.producer, program=program, t=time.time()))
        except OSError as error:
            raise self._cannot_write(error) from error
        self.acked_seq = last or 0
        self._appender = appender

    def _append(self, events: Sequence[Any], encode: Encode) -> None:
        assert self._appender is not None  # noqa: S101  (register comes first: it gives the key)
        lines = encode(events, first_seq=self.acked_seq + 1)
        try:
            written = self._appender.append(lines)
        except OSError as error:
            raise self._cannot_write(error) from error
        self.acked_seq += written
        if written < len(events):
            raise DaemonError(f"the disk is full: only the events up to {self.acked_seq} were written.")

    def _cannot_write(self, error: OSError) -> DaemonError:
        return DaemonError(
            f"cannot write to {self._folder.journal}: {error.strerror}. Send again from {self.acked_seq + 1}."
        )


class PublishDesk:
    """All workers that publish over gRPC: at most `max_workers` at a time; one more is refused."""

    def __init__(
        self,
        *,
        segment_bytes: int = 8 << 20,
        max_batch_bytes: int = 32 << 20,
        max_workers: int = 512,
        gap_secs: float = 5.0,
        threads: int = 2,
    ) -> None:
        self.max_batch_bytes = max_batch_bytes
        self._segment_bytes = segment_bytes
        self._max_workers = max_workers
        self._gap_secs = gap_secs
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="publish")
        self._feeds: dict[tuple[str, str], WorkerFeed] = {}
        self._registered: dict[str, WorkerFeed] = {}

    def __len__(self) -> int:
        return len(self._feeds)

    async def register(self, folder: RunFolder, request: Any) -> Any:
        """Register a worker of a run that has not ended.

        Raises:
            DaemonError: another protocol version, or too many workers.
            ProtocolError: no usable worker id.
        """
        if request.protocol != PROTOCOL_VERSION:
            raise DaemonError(
                f"worker {request.worker_id!r} speaks protocol {request.protocol}, and MOSAIC "
                f"{mosaic.__version__} speaks protocol {PROTOCOL_VERSION}. Use a worker made for it."
            )
        if not 0 < len(request.worker_id) <= _MAX_WORKER_ID_CHARS:
            raise ProtocolError(f"a worker id has 1 to {_MAX_WORKER_ID_CHARS} characters.")
        key = (folder.run_id, request.worker_id)
        feed = self._feeds.get(key)
        if feed is None:
            if len(self._feeds) >= self._max_workers:
                raise DaemonError(f"{self._max_workers} workers publish already.")
            feed = self._feeds[key] = WorkerFeed(
                folder,
                request.worker_id,
                segment_bytes=self._segment_bytes,
                gap_secs=self._gap_secs,
                pool=self._pool,
            )
        self._registered.pop(feed.registration, None)
        await feed.register(program=request.program)
        self._registered[feed.registration] = feed
        return pb.RegisterWorkerReply(
            session=feed.registration,
            producer=feed.producer,
            acked_seq=feed.acked_seq,
            protocol=PROTOCOL_VERSION,
            version=mosaic.__version__,
            capabilities=CAPABILITIES,
            max_batch_bytes=self.max_batch_bytes,
        )

    async def take(
        self,
        batches: AsyncIterator[Any],
        reply: Callable[[Any], Awaitable[None]],
        *,
        events_of: Callable[[Any], Sequence[Any]],
        encode: Encode,
    ) -> None:
        """Serve one publishing stream: a batch in, its acknowledgement out, until the worker ends it."""
        registration = ""
        async for batch in batches:
            registration = batch.session or registration
            feed = self._registered.get(registration)
            if feed is None:
                raise DaemonError(f"no worker is registered as {registration!r}: call RegisterWorker first.")
            acked = await feed.publish(registration, batch.first_seq, events_of(batch), encode)
            await reply(pb.PublishAck(acked_seq=acked))

    async def end_run(self, run_id: str) -> None:
        """Close the segments of a run's workers, so that ingest can finish it."""
        for key in [key for key in self._feeds if key[0] == run_id]:
            feed = self._feeds.pop(key)
            self._registered.pop(feed.registration, None)
            await feed.close()

    async def close(self) -> None:
        """Close everything; the runs go on, and their workers find the next daemon."""
        for run_id in {run_id for run_id, _ in self._feeds}:
            await self.end_run(run_id)
        self._pool.shutdown()
