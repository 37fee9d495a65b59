"""The daemon as Python calls. Synchronous; a deadline on every call; every failure is one of `mosaic.errors`.

Streams have no deadline, because a run may be silent for hours: there the connection's keep-alive notices a
daemon that hangs.
"""

from __future__ import annotations

import queue
from typing import TYPE_CHECKING, Any, TypeVar

import grpc

import mosaic
from mosaic.errors import DaemonError, MosaicError
from mosaic.rpc import convert
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.rpc.pb.trainer_pb2_grpc import TrainerServiceStub
from mosaic.rpc.records import Batch, DaemonStatus, EventRow, LogPage, RunChange, Skipped, StepOf
from mosaic.rpc.status import VERSION_KEY, error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from mosaic.paths import DataRoot
    from mosaic.protocol.rows import CheckpointRow, EpisodeRow, MetricRow, StoreSummary
    from mosaic.protocol.runs import RunRow, RunSpec

__all__ = ["Batch", "Client", "DaemonStatus", "EventRow", "LogPage", "RunChange", "Skipped", "StepOf"]

T = TypeVar("T")

CHANNEL_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", 64 << 20),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
)


class Client:
    """A connection to the daemon of one data root. Use it as a context manager, or `close` it.

    `timeout_secs` bounds every ordinary call, `rebuild_secs` the one that reads a whole journal.
    """

    def __init__(self, root: DataRoot, *, timeout_secs: float = 15.0, rebuild_secs: float = 3600.0) -> None:
        self._home = str(root.path)
        self._timeout_secs = timeout_secs
        self._rebuild_secs = rebuild_secs
        try:
            token = root.token.read_text().strip()
        except OSError as error:
            raise DaemonError(
                f"No daemon has run in {root.path} yet ({root.token.name}: {error.strerror}). "
                "Start it with: mosaic daemon start"
            ) from error
        self._metadata = (("authorization", f"Bearer {token}"), (VERSION_KEY, mosaic.__version__))
        self._channel = grpc.insecure_channel(f"unix:{root.socket}", options=CHANNEL_OPTIONS)
        self._stub = TrainerServiceStub(self._channel)

    def close(self) -> None:
        """End the connection and every stream on it. Twice is fine."""
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Runs.

    def submit(self, spec: RunSpec, env: Mapping[str, str]) -> RunRow:
        """Start a run, or queue it. The same run id twice is one run."""
        request = pb.SubmitRunRequest(spec=convert.spec_to_pb(spec), env=dict(env))
        return convert.run_from_pb(self._call(self._stub.SubmitRun, request))

    def stop(self, run_id: str, *, reason: str = "asked by the user") -> RunRow:
        """Ask a run to stop; it is `stopping` until its whole process tree is gone."""
        return convert.run_from_pb(
            self._call(self._stub.StopRun, pb.StopRunRequest(run=run_id, reason=reason))
        )

    def pause(self, run_id: str) -> RunRow:
        """Hold a run's processes where they are."""
        return convert.run_from_pb(self._call(self._stub.PauseRun, pb.RunRef(run=run_id)))

    def unpause(self, run_id: str) -> RunRow:
        """Let a paused run go on."""
        # The call keeps the name it first had, so that older and newer daemons know it.
        return convert.run_from_pb(self._call(self._stub.ResumeRun, pb.RunRef(run=run_id)))

    def delete(self, run_id: str) -> None:
        """Remove an ended run and its folder, once the last processes it left are gone."""
        self._call(self._stub.DeleteRun, pb.RunRef(run=run_id), timeout_secs=self._timeout_secs + 15)

    def edit(
        self,
        run_id: str,
        *,
        name: str | None = None,
        set_tags: Mapping[str, str] | None = None,
        drop_tags: Sequence[str] = (),
    ) -> RunRow:
        """Change a run's name and tags; what is not named stays."""
        request = pb.EditRunRequest(run=run_id, name=name, set_tags=set_tags or {}, drop_tags=drop_tags)
        return convert.run_from_pb(self._call(self._stub.EditRun, request))

    def rebuild(self, run_id: str) -> StoreSummary:
        """Make a run's store anew from its journal."""
        reply = self._call(self._stub.RebuildRun, pb.RunRef(run=run_id), timeout_secs=self._rebuild_secs)
        return convert.summary_from_pb(reply)

    def runs(self) -> list[RunRow]:
        """All runs, as the daemon lists them."""
        reply = self._call(self._stub.ListRuns, pb.ListRunsRequest())
        return [convert.run_from_pb(row) for row in reply.runs]

    def run(self, run_id: str) -> RunRow:
        """One run, by id, unique prefix, name or 'last'."""
        return convert.run_from_pb(self._call(self._stub.GetRun, pb.RunRef(run=run_id)))

    def watch_runs(self) -> Generator[RunRow, None, None]:
        """Every run there is, then each change, until the caller stops iterating."""
        for change in self.watch_changes():
            if change.row is not None and not change.deleted:
                yield change.row

    def watch_changes(self) -> Generator[RunChange, None, None]:
        """Every run there is, a mark that these were all, then each change and deletion."""
        call = self._stub.WatchRuns(pb.WatchRunsRequest(), metadata=self._metadata)
        try:
            for change in call:
                row = convert.run_from_pb(change.run) if change.HasField("run") else None
                yield RunChange(row=row, deleted=change.deleted, caught_up=change.caught_up)
        except grpc.RpcError as error:
            raise error_of(error, home=self._home) from error
        finally:
            call.cancel()

    # Following a run.

    def stream_steps(
        self,
        run_id: str,
        *,
        since_seq: int = 0,
        credits: int = 8,
        coalesce: bool = False,
        batch_rows: int = 0,
    ) -> Generator[Batch[StepOf], None, None]:
        """A run's steps in the order they were stored: history, then live, until the run has ended.

        With `coalesce`, a reader that falls behind while live is moved to the head: `Batch.skipped` says so.
        A batch has at most `batch_rows` rows; 0 leaves that to the daemon.
        """
        request = self._read_request(run_id, since_seq, credits, coalesce=coalesce, batch_rows=batch_rows)
        return self._stream(self._stub.StreamRunSteps, request, convert.step_from_pb)

    def stream_episodes(
        self,
        run_id: str,
        *,
        since_seq: int = 0,
        credits: int = 8,
        coalesce: bool = False,
        batch_rows: int = 0,
    ) -> Generator[Batch[EpisodeRow], None, None]:
        """A run's episodes; one comes again whenever it changed."""
        request = self._read_request(run_id, since_seq, credits, coalesce=coalesce, batch_rows=batch_rows)
        return self._stream(self._stub.StreamRunEpisodes, request, convert.episode_from_pb)

    def stream_metrics(
        self, run_id: str, *, since_seq: int = 0, credits: int = 8, coalesce: bool = False, name: str = ""
    ) -> Generator[Batch[MetricRow], None, None]:
        """A run's metrics, all or those of one name."""
        request = self._read_request(run_id, since_seq, credits, coalesce=coalesce, kind=name)
        return self._stream(self._stub.StreamRunMetrics, request, convert.metric_from_pb)

    def stream_events(
        self, run_id: str, *, since_seq: int = 0, credits: int = 8, coalesce: bool = False, kind: str = ""
    ) -> Generator[Batch[EventRow], None, None]:
        """A run's other events (config, log, decision, …), all or those of one type."""
        request = self._read_request(run_id, since_seq, credits, coalesce=coalesce, kind=kind)
        return self._stream(self._stub.StreamRunEvents, request, convert.event_from_pb)

    # Pages.

    def episodes(
        self,
        run_id: str,
        *,
        first_index: int = 0,
        limit: int = 1000,
        since_seq: int = 0,
        role: str | None = None,
    ) -> list[EpisodeRow]:
        """A page of a run's episodes by index; of one role alone, if that is given."""
        request = pb.ListEpisodesRequest(
            run=run_id, first_index=first_index, limit=limit, since_seq=since_seq, role=role or ""
        )
        return [convert.episode_from_pb(row) for row in self._call(self._stub.ListEpisodes, request).rows]

    def episode_steps(
        self, run_id: str, episode: int | str, *, first: int = 0, limit: int = 1000
    ) -> list[StepOf]:
        """A page of one episode's steps; `episode` is an index or an id."""
        key = {"index": episode} if isinstance(episode, int) else {"episode_id": episode}
        request = pb.GetEpisodeStepsRequest(run=run_id, first=first, limit=limit, **key)
        return [convert.step_from_pb(row) for row in self._call(self._stub.GetEpisodeSteps, request).rows]

    def metrics(
        self, run_id: str, *, name: str = "", since_seq: int = 0, limit: int = 1000
    ) -> list[MetricRow]:
        """A page of a run's metrics."""
        request = pb.ListMetricsRequest(run=run_id, name=name, since_seq=since_seq, limit=limit)
        return [convert.metric_from_pb(row) for row in self._call(self._stub.ListMetrics, request).rows]

    def events(
        self,
        run_id: str,
        kinds: Sequence[str] = (),
        *,
        episode: int | str | None = None,
        step: int | None = None,
        since_seq: int = 0,
        limit: int = 1000,
    ) -> Batch[EventRow]:
        """A page of a run's other events, all or those of some kinds; `live` when there is no more yet.

        With `episode`, an index or an id, and `step`: only those about that.
        """
        request = pb.ListEventsRequest(run=run_id, kinds=kinds, step=step, since_seq=since_seq, limit=limit)
        if episode is not None:
            setattr(request, "index" if isinstance(episode, int) else "episode_id", episode)
        reply = self._call(self._stub.ListEvents, request)
        rows = [convert.event_from_pb(row) for row in reply.rows]
        return Batch(rows=rows, next_seq=reply.next_seq, live=not reply.more)

    def checkpoints(self, run_id: str) -> list[CheckpointRow]:
        """The files a run saved policies to."""
        reply = self._call(self._stub.ListCheckpoints, pb.RunRef(run=run_id))
        return [convert.checkpoint_from_pb(row) for row in reply.rows]

    def logs(
        self, run_id: str, *, stderr: bool = False, offset: int = 0, max_bytes: int = 1 << 20
    ) -> LogPage:
        """A piece of a run's output, from a byte offset (negative: before the end)."""
        request = pb.ReadLogsRequest(run=run_id, stderr=stderr, offset=offset, max_bytes=max_bytes)
        reply = self._call(self._stub.ReadLogs, request)
        return LogPage(data=reply.data, next_offset=reply.next_offset, ended=reply.ended)

    # The daemon.

    def status(self, *, timeout_secs: float | None = None) -> DaemonStatus:
        """How the daemon is, and which version."""
        reply = self._call(self._stub.Status, pb.StatusRequest(), timeout_secs=timeout_secs)
        return convert.status_from_pb(reply)

    def shutdown(self) -> None:
        """End the daemon. Runs go on, and the next daemon finds them."""
        self._call(self._stub.Shutdown, pb.ShutdownRequest())

    # How calls are made.

    def _call(self, method: Any, request: Any, *, timeout_secs: float | None = None) -> Any:
        try:
            return method(request, timeout=timeout_secs or self._timeout_secs, metadata=self._metadata)
        except grpc.RpcError as error:
            raise error_of(error, home=self._home) from error

    def _read_request(
        self,
        run: str,
        since_seq: int,
        credits: int,
        *,
        coalesce: bool,
        kind: str = "",
        batch_rows: int = 0,
    ) -> Any:
        if credits < 1:
            raise MosaicError(f"a stream needs at least one credit, not {credits}")
        when_starved = pb.COALESCE if coalesce else pb.WAIT
        return pb.ReadRequest(
            run=run,
            since_seq=since_seq,
            credits=credits,
            when_starved=when_starved,
            kind=kind,
            batch_rows=batch_rows,
        )

    def _stream(
        self, method: Any, opening: Any, row_of: Callable[[Any], T]
    ) -> Generator[Batch[T], None, None]:
        """Batches of a reading stream; asking for the next one grants a credit for the last."""
        grants: queue.SimpleQueue[Any] = queue.SimpleQueue()  # at most `credits` + 2 entries, by construction
        grants.put(opening)
        call = method(iter(grants.get, None), metadata=self._metadata)
        try:
            for message in call:
                yield Batch(
                    rows=[row_of(row) for row in message.rows],
                    next_seq=message.next_seq,
                    live=message.live,
                    skipped=convert.skipped_from_pb(message),
                )
                grants.put(pb.ReadRequest(credits=1))
        except grpc.RpcError as error:
            raise error_of(error, home=self._home) from error
        finally:
            grants.put(None)
            call.cancel()
