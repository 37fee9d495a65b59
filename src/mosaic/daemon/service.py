"""The gRPC service: translates calls and errors, decides nothing. The Trainer decides, the desks stream.

Every method of the contract has its coroutine here, by name; a method without one is an error at start. No
exception gets past a call: ours become a status with a sentence, others are counted and logged as faults.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf import message_factory
from google.protobuf.message import DecodeError

import mosaic
from mosaic.daemon import lines
from mosaic.errors import DaemonError, MosaicError, ProtocolError, StoreError
from mosaic.protocol.events import PROTOCOL_VERSION
from mosaic.protocol.runs import ENDED
from mosaic.rpc import convert
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.rpc.status import ERROR_KEY, code_of
from mosaic.runs import freshness
from mosaic.runs.output import read_piece
from mosaic.store.eventpage import read_page, refuse_unknown
from mosaic.store.reader import StoreReader
from mosaic.text import os_words
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mosaic.daemon.bus import RunBus
    from mosaic.daemon.publish import PublishDesk
    from mosaic.daemon.streams import StreamDesk
    from mosaic.daemon.trainer import Trainer
    from mosaic.paths import DataRoot, RunFolder
    from mosaic.protocol.runs import RunRow

__all__ = ["Faults", "RunNews", "TrainerService"]

log = logging.getLogger("mosaic.daemon")
_MAX_DETAIL_CHARS = 2000
_MAX_LOG_BYTES = 4 << 20
_MAX_ROWS = 10_000
_MAX_PAGE_BYTES = 1 << 20  # of events: a gRPC client takes messages of 4 MiB unless it says otherwise

RunNews = tuple["RunRow", bool]
"""A run's row as it is now, and whether the run is gone."""


class Faults:
    """Exceptions nobody expected: counted, logged with their traceback, shown by Status."""

    def __init__(self) -> None:
        self.count = 0
        self.last = ""

    def note(self, where: str, error: BaseException) -> None:
        """Record one."""
        self.count += 1
        self.last = f"{where}: {type(error).__name__}: {error}"[:_MAX_DETAIL_CHARS]
        log.error("fault in %s", where, exc_info=error)


class TrainerService:
    """All methods of the contract, over one Trainer. What each does is said in `trainer.proto`.

    At most `slow_calls` deletions and rebuilds are under way at a time; more wait, and hold up nothing else.
    """

    def __init__(
        self,
        root: DataRoot,
        trainer: Trainer,
        *,
        changes: RunBus[RunNews],
        streams: StreamDesk,
        publish: PublishDesk,
        faults: Faults,
        stop: Callable[[], None],
        slow_calls: int = 2,
    ) -> None:
        self._root = root
        self._trainer = trainer
        self._changes = changes
        self._streams = streams
        self._publish = publish
        self._faults = faults
        self._stop = stop
        self._slow = ThreadPoolExecutor(slow_calls, thread_name_prefix="slow")
        self._started = time.time()
        self._open_streams = 0

    def handler(self) -> Any:
        """The service as gRPC wants it: one guarded handler for each method of the contract."""
        service = pb.DESCRIPTOR.services_by_name["TrainerService"]
        handlers = {method.name: self._handler_of(method) for method in service.methods}
        return grpc.method_handlers_generic_handler(service.full_name, handlers)

    def close(self) -> None:
        """Let slow calls end, take no new ones. The Trainer's own closing makes them end soon."""
        self._slow.shutdown(wait=False, cancel_futures=True)

    # Runs.

    async def _submit_run(self, request: Any, _context: Any) -> Any:
        spec = convert.spec_from_pb(request.spec)
        return convert.run_to_pb(await asyncio.to_thread(self._trainer.submit, spec, dict(request.env)))

    async def _stop_run(self, request: Any, _context: Any) -> Any:
        run_id = await self._resolve(request.run)
        reason = request.reason or "asked by the user"
        return convert.run_to_pb(await asyncio.to_thread(self._trainer.stop, run_id, reason=reason))

    async def _pause_run(self, request: Any, _context: Any) -> Any:
        run_id = await self._resolve(request.run)
        return convert.run_to_pb(await asyncio.to_thread(self._trainer.pause, run_id))

    async def _resume_run(self, request: Any, _context: Any) -> Any:
        # Unpauses: the call keeps the name it first had, so that older and newer windows find it.
        run_id = await self._resolve(request.run)
        return convert.run_to_pb(await asyncio.to_thread(self._trainer.unpause, run_id))

    async def _delete_run(self, request: Any, _context: Any) -> Any:
        row = await self._row(request.run)
        await self._slowly(self._trainer.delete, row.run_id)
        self._changes.announce(row.run_id, (row, True))
        return pb.DeleteRunReply()

    async def _edit_run(self, request: Any, _context: Any) -> Any:
        run_id = await self._resolve(request.run)
        row = await asyncio.to_thread(
            self._trainer.edit,
            run_id,
            name=request.name if request.HasField("name") else None,
            set_tags=dict(request.set_tags),
            drop_tags=list(request.drop_tags),
        )
        return convert.run_to_pb(row)

    async def _rebuild_run(self, request: Any, _context: Any) -> Any:
        run_id = await self._resolve(request.run)
        return convert.summary_to_pb(await self._slowly(self._trainer.rebuild, run_id))

    async def _list_runs(self, _request: Any, _context: Any) -> Any:
        rows = await asyncio.to_thread(lambda: self._trainer.counted(self._trainer.runs()))
        return pb.ListRunsReply(runs=[convert.run_to_pb(row) for row in rows])

    async def _get_run(self, request: Any, _context: Any) -> Any:
        row = await self._row(request.run)
        (counted,) = await asyncio.to_thread(self._trainer.counted, [row])
        return convert.run_to_pb(counted)

    async def _watch_runs(self, _request: Any, context: Any) -> None:
        # SYNC: subscribed before the list is read, so that a change between the two is sent.
        with self._changes.subscribe() as news:
            self._trainer.stirred.set()  # a lease for the runs that are going, now and not at the next look
            for row in await asyncio.to_thread(self._trainer.runs):
                await context.write(pb.RunChange(run=convert.run_to_pb(row)))
            await context.write(pb.RunChange(caught_up=True))
            while True:
                for row, deleted in (await news.take()).values():
                    await context.write(pb.RunChange(run=convert.run_to_pb(row), deleted=deleted))

    # Publishing.

    async def _register_worker(self, request: Any, _context: Any) -> Any:
        folder = self._root.run(await self._resolve(request.run_id))
        await self._refuse_if_ended(folder.run_id)
        reply = await self._publish.register(folder, request)
        # SYNC: asked again: had it ended in between, the tick that closes its segments would be over.
        await self._refuse_if_ended(folder.run_id)
        return reply

    async def _refuse_if_ended(self, run_id: str) -> None:
        row = await self._row(run_id)
        if row.state in ENDED:
            await self._publish.end_run(run_id)
            raise DaemonError(f"run {run_id} is {row.state.value}; nothing can be added to it.")

    async def _publish_run_steps(self, requests: AsyncIterator[Any], context: Any) -> None:
        await self._publish.take(
            requests, context.write, events_of=lambda batch: batch.steps, encode=lines.step_lines
        )

    async def _publish_run_episodes(self, requests: AsyncIterator[Any], context: Any) -> None:
        await self._publish.take(
            requests, context.write, events_of=lambda batch: batch.episodes, encode=lines.episode_lines
        )

    async def _publish_run_events(self, requests: AsyncIterator[Any], context: Any) -> None:
        await self._publish.take(
            requests, context.write, events_of=lambda batch: batch.lines, encode=lines.event_lines
        )

    # Following a run.

    async def _stream_run_steps(self, requests: AsyncIterator[Any], context: Any) -> None:
        await self._follow("StreamRunSteps", requests, context)

    async def _stream_run_episodes(self, requests: AsyncIterator[Any], context: Any) -> None:
        await self._follow("StreamRunEpisodes", requests, context)

    async def _stream_run_metrics(self, requests: AsyncIterator[Any], context: Any) -> None:
        await self._follow("StreamRunMetrics", requests, context)

    async def _stream_run_events(self, requests: AsyncIterator[Any], context: Any) -> None:
        await self._follow("StreamRunEvents", requests, context)

    async def _follow(self, name: str, requests: AsyncIterator[Any], context: Any) -> None:
        async for opening in requests:
            folder = self._root.run(await self._resolve(opening.run))

            async def is_complete(run_id: str = folder.run_id) -> bool:
                return await asyncio.to_thread(self._trainer.settled, run_id)

            self._open_streams += 1
            try:
                await self._streams.serve(
                    name, folder, opening, requests=requests, send=context.write, is_complete=is_complete
                )
            finally:
                self._open_streams -= 1
            return

    # Pages.

    async def _list_episodes(self, request: Any, _context: Any) -> Any:
        def read(reader: StoreReader) -> Any:
            rows = reader.episodes(
                since_seq=request.since_seq,
                first_index=request.first_index,
                limit=_limit(request.limit),
                role=request.role or None,
            )
            return pb.ListEpisodesReply(rows=[convert.episode_to_pb(row) for row in rows])

        return await self._read(request.run, read)

    async def _get_episode_steps(self, request: Any, _context: Any) -> Any:
        def read(reader: StoreReader) -> Any:
            by_id = request.WhichOneof("episode") == "episode_id"
            episode = reader.episode(request.episode_id if by_id else request.index)
            rows = reader.steps(episode.index, first=request.first, limit=_limit(request.limit))
            return pb.GetEpisodeStepsReply(
                episode=convert.episode_to_pb(episode),
                rows=[convert.step_to_pb(episode.episode_id, row) for row in rows],
            )

        return await self._read(request.run, read)

    async def _list_metrics(self, request: Any, _context: Any) -> Any:
        def read(reader: StoreReader) -> Any:
            rows = reader.metrics(
                name=request.name or None, since_seq=request.since_seq, limit=_limit(request.limit)
            )
            return pb.ListMetricsReply(rows=[convert.metric_to_pb(row) for row in rows])

        return await self._read(request.run, read)

    async def _list_events(self, request: Any, _context: Any) -> Any:
        kinds = list(dict.fromkeys(request.kinds))
        asked_by = request.WhichOneof("episode")

        def read(reader: StoreReader, run_id: str) -> Any:
            refuse_unknown(reader, run_id, kinds)
            page = read_page(
                reader,
                kinds or None,
                episode=None if asked_by is None else getattr(request, asked_by),
                step=request.step if request.HasField("step") else None,
                since_seq=request.since_seq,
                most_rows=_limit(request.limit),
                most_bytes=_MAX_PAGE_BYTES,
            )
            rows = [convert.event_to_pb(event) for event in page.events]
            return pb.ListEventsReply(rows=rows, next_seq=page.next_seq, more=page.more)

        run_id = await self._resolve(request.run)
        return await self._read(run_id, lambda reader: read(reader, run_id))

    async def _list_checkpoints(self, request: Any, _context: Any) -> Any:
        def read(reader: StoreReader) -> Any:
            rows = reader.checkpoints()
            return pb.ListCheckpointsReply(rows=[convert.checkpoint_to_pb(row) for row in rows])

        return await self._read(request.run, read)

    async def _read_logs(self, request: Any, _context: Any) -> Any:
        row = await self._row(request.run)  # SYNC: the state before the bytes: an ended run writes no more
        folder = self._root.run(row.run_id)
        data, next_offset, at_end = await self._streams.read(_read_log, folder, request)
        return pb.ReadLogsReply(data=data, next_offset=next_offset, ended=at_end and row.state in ENDED)

    # The daemon.

    async def _status(self, _request: Any, _context: Any) -> Any:
        runs: dict[str, int] = {}
        for row in await asyncio.to_thread(self._trainer.runs):
            runs[row.state.value] = runs.get(row.state.value, 0) + 1
        return pb.DaemonStatus(
            version=mosaic.__version__,
            protocol=PROTOCOL_VERSION,
            pid=os.getpid(),
            home=str(self._root.path),
            started=self._started,
            runs=runs,
            faults=self._faults.count,
            last_fault=self._faults.last,
            streams=self._open_streams + len(self._changes),
            publishers=len(self._publish),
        )

    async def _shutdown(self, _request: Any, _context: Any) -> Any:
        self._stop()
        return pb.ShutdownReply()

    # How calls are served.

    def _handler_of(self, method: Any) -> Any:
        name = re.sub(r"(?=[A-Z])", "_", method.name).lower()
        make = {
            (False, False): grpc.unary_unary_rpc_method_handler,
            (False, True): grpc.unary_stream_rpc_method_handler,
            (True, True): grpc.stream_stream_rpc_method_handler,
        }[method.client_streaming, method.server_streaming]
        return make(
            self._guarded(method.name, getattr(self, name)),
            request_deserializer=_parser(message_factory.GetMessageClass(method.input_type)),
            response_serializer=message_factory.GetMessageClass(method.output_type).SerializeToString,
        )

    def _guarded(self, name: str, behaviour: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        async def serve(request: Any, context: Any) -> Any:
            # gather hands exceptions over as values: here, and nowhere else, all of them are caught.
            outcomes = await asyncio.gather(_call(behaviour, request, context), return_exceptions=True)
            outcome: Any = outcomes[0]
            if not isinstance(outcome, BaseException):
                return outcome
            if isinstance(outcome, asyncio.CancelledError) or context.cancelled():
                raise asyncio.CancelledError  # the caller left
            if isinstance(outcome, MosaicError):
                kind = ((ERROR_KEY, type(outcome).__name__),)
                await context.abort(code_of(outcome), str(outcome)[:_MAX_DETAIL_CHARS], kind)
            self._faults.note(name, outcome)
            await context.abort(
                grpc.StatusCode.INTERNAL, f"{type(outcome).__name__} in {name}; see {self._root.daemon_log}"
            )
            return None

        return serve

    async def _slowly(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._slow, work, *arguments)

    async def _resolve(self, text: str) -> str:
        return await asyncio.to_thread(self._trainer.resolve, text)

    async def _row(self, text: str) -> RunRow:
        return await asyncio.to_thread(lambda: self._trainer.run(self._trainer.resolve(text)))

    async def _read(self, run: str, read: Callable[[StoreReader], Any]) -> Any:
        folder = self._root.run(await self._resolve(run))

        def work() -> Any:
            freshness.refresh([folder])  # nobody may have looked at it for a while
            with StoreReader(folder) as reader:
                return read(reader)

        return await self._streams.read(work)


def _parser(message: Any) -> Callable[[bytes], Any]:
    """Bytes to a message. Bytes that are none become the error itself: raised here, it would be our fault."""

    def parse(data: bytes) -> Any:
        try:
            return message.FromString(data)
        except DecodeError as error:
            name = message.DESCRIPTOR.name
            return ProtocolError(f"the request is not a {name} of trainer.proto ({len(data)} bytes): {error}")

    return parse


async def _call(behaviour: Callable[[Any, Any], Any], request: Any, context: Any) -> Any:
    """Call a method, or raise that its request is malformed."""
    if isinstance(request, ProtocolError):
        raise request
    return await behaviour(_parsed(request) if hasattr(request, "__aiter__") else request, context)


async def _parsed(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        if isinstance(request, ProtocolError):
            raise request
        yield request


def _limit(asked: int) -> int:
    return min(asked, _MAX_ROWS) if asked > 0 else _MAX_ROWS


def _read_log(folder: RunFolder, request: Any) -> tuple[bytes, int, bool]:
    path = folder.stderr if request.stderr else folder.stdout
    most = min(request.max_bytes, _MAX_LOG_BYTES) if request.max_bytes > 0 else _MAX_LOG_BYTES
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = min(request.offset, size) if request.offset >= 0 else max(0, size + request.offset)
            data, end = read_piece(file.fileno(), start, most)
    except FileNotFoundError:
        return b"", 0, True  # not started yet
    except OSError as error:
        raise StoreError(f"cannot read it: {os_words(error)}") from error
    return data, end, end >= size
