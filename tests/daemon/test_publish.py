"""Publishing over gRPC: in order, each event once, through crashes of the daemon."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
import zstandard

from mosaic.daemon.lines import event_lines
from mosaic.daemon.publish import PublishDesk, WorkerFeed
from mosaic.errors import DaemonError, ProtocolError
from mosaic.paths import RunFolder
from mosaic.protocol.floats import bits_of
from mosaic.protocol.runs import RunState
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.rpc.pb.trainer_pb2_grpc import TrainerServiceStub
from mosaic.runs.locks import held
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.daemons import Daemon, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def play(tmp_path: Path, scene: Any, **limits: Any) -> RunFolder:
    """Play a scene with a publishing desk of its own."""
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir(mode=0o700, exist_ok=True)

    async def whole() -> None:
        desk = PublishDesk(**limits)
        try:
            await scene(desk, folder)
        finally:
            await desk.close()

    asyncio.run(whole())
    return folder


def register(**fields: Any) -> Any:
    return pb.RegisterWorkerRequest(**{"worker_id": "w", "protocol": 1, **fields})


async def publish(desk: PublishDesk, *batches: Any) -> list[int]:
    """Send batches over one stream; the acknowledgements."""
    acks: list[int] = []

    async def sending() -> AsyncIterator[Any]:
        for batch in batches:
            yield batch

    async def reply(ack: Any) -> None:
        acks.append(ack.acked_seq)

    await desk.take(sending(), reply, events_of=lambda batch: batch.lines, encode=event_lines)
    return acks


def batch(registration: str, first_seq: int, count: int) -> Any:
    """Events that say their own number."""
    lines = [b'{"type":"log","text":"%d"}' % seq for seq in range(first_seq, first_seq + count)]
    return pb.PublishEvents(session=registration, first_seq=first_seq, lines=lines)


_UNPACKER = zstandard.ZstdDecompressor()


def journal_of(folder: RunFolder) -> list[dict[str, Any]]:
    """All lines of a run's journal, in order."""
    whole = b""
    for path in sorted(folder.journal.glob("g*.jsonl*")):
        with path.open("rb") as file:
            sealed = path.suffix == ".zst"
            whole += (_UNPACKER.stream_reader(file, read_across_frames=True) if sealed else file).read()
    return [json.loads(line) for line in whole.splitlines()]


def assert_complete(folder: RunFolder, count: int) -> None:
    """The journal holds hello and then the events 1 to count, each once and in order."""
    hello, *events = journal_of(folder)
    assert (hello["type"], hello["seq"]) == ("hello", 0)
    assert [event["seq"] for event in events] == list(range(1, count + 1))
    assert [event["text"] for event in events] == [str(seq) for seq in range(1, count + 1)]


def test_a_batch_is_in_the_journal_when_it_is_acknowledged(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        registration = (await desk.register(folder, register())).session
        assert await publish(desk, batch(registration, 1, 3)) == [3]
        assert_complete(folder, 3)
        assert await publish(desk, batch(registration, 4, 2), pb.PublishEvents(first_seq=6)) == [5, 5]

    assert_complete(play(tmp_path, scene), 5)


def test_what_is_sent_again_is_written_once(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        registration = (await desk.register(folder, register())).session
        await publish(
            desk,
            batch(registration, 1, 3),
            batch(registration, 1, 3),
            batch(registration, 2, 4),
            batch(registration, 1, 1),
        )

    assert_complete(play(tmp_path, scene), 5)


def test_batches_on_several_streams_are_put_into_order(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        registration = (await desk.register(folder, register())).session
        await asyncio.gather(
            publish(desk, batch(registration, 5, 2), batch(registration, 9, 1)),
            publish(desk, batch(registration, 3, 2)),
            publish(desk, batch(registration, 1, 2), batch(registration, 7, 2)),
        )

    assert_complete(play(tmp_path, scene, gap_secs=30), 9)


def test_a_number_that_never_comes_ends_the_stream_and_names_it(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        registration = (await desk.register(folder, register())).session
        with pytest.raises(DaemonError, match="sent event 7, but 3 is next"):
            await publish(desk, batch(registration, 1, 2), batch(registration, 7, 1))
        with pytest.raises(ProtocolError, match="first_seq is 0"):
            await publish(desk, batch(registration, 0, 1))
        assert await publish(desk, batch(registration, 3, 1)) == [3]

    assert_complete(play(tmp_path, scene, gap_secs=0.01), 3)


def test_one_missing_number_is_as_bad_as_many(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        session = (await desk.register(folder, register())).session
        with pytest.raises(DaemonError, match="sent event 4, but 3 is next"):
            await publish(desk, batch(session, 1, 2), batch(session, 4, 1))
        with pytest.raises(DaemonError, match="sent event 4, but 3 is next"):
            await publish(desk, pb.PublishEvents(session=session, first_seq=4))

    assert_complete(play(tmp_path, scene, gap_secs=0.01), 2)


def test_the_next_desk_goes_on_where_the_journal_ends(tmp_path: Path) -> None:
    async def first(desk: PublishDesk, folder: RunFolder) -> None:
        registration = (await desk.register(folder, register())).session
        await publish(desk, batch(registration, 1, 3))

    async def second(desk: PublishDesk, folder: RunFolder) -> None:
        reply = await desk.register(folder, register())
        assert reply.acked_seq == 3
        assert await publish(desk, batch(reply.session, 2, 4)) == [5]

    play(tmp_path, first)
    folder = play(tmp_path, second, segment_bytes=10)
    assert_complete(folder, 5)
    assert len(list(folder.journal.iterdir())) == 2


def test_registering_again_ends_the_registration_before(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        old = (await desk.register(folder, register())).session
        new = (await desk.register(folder, register())).session
        with pytest.raises(DaemonError, match="no worker is registered as"):
            await publish(desk, batch(old, 1, 1))
        await publish(desk, batch(new, 1, 1))

    assert_complete(play(tmp_path, scene), 1)


def test_a_batch_that_waits_for_its_turn_learns_that_its_registration_is_over(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        old = (await desk.register(folder, register())).session
        waiting = asyncio.ensure_future(publish(desk, batch(old, 5, 1)))
        await asyncio.sleep(0)
        await desk.register(folder, register())
        with pytest.raises(DaemonError, match="is over"):
            await waiting

    play(tmp_path, scene, gap_secs=30)


def test_two_workers_of_a_run_have_a_journal_each(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        one = await desk.register(folder, register(worker_id="one"))
        two = await desk.register(folder, register(worker_id="two"))
        assert one.producer != two.producer
        await publish(desk, batch(one.session, 1, 1))
        await publish(desk, batch(two.session, 1, 1))
        assert len(desk) == 2
        assert len(list(folder.journal.iterdir())) == 2
        with pytest.raises(DaemonError, match="2 workers publish already"):
            await desk.register(folder, register(worker_id="three"))

    play(tmp_path, scene, max_workers=2)


def test_when_the_run_has_ended_segments_are_final_and_batches_are_refused(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        registration = (await desk.register(folder, register())).session
        await publish(desk, batch(registration, 1, 1))
        (segment,) = folder.journal.iterdir()
        assert held(segment)
        await desk.end_run(folder.run_id)
        assert not held(segment)
        with pytest.raises(DaemonError, match="no worker is registered as"):
            await publish(desk, batch(registration, 2, 1))

    play(tmp_path, scene)


@pytest.mark.parametrize("theirs", [0, 2, 99])
def test_a_foreign_protocol_is_refused_and_both_versions_are_named(tmp_path: Path, theirs: int) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        with pytest.raises(DaemonError, match=f"speaks protocol {theirs}, and MOSAIC .* speaks protocol 1"):
            await desk.register(folder, register(protocol=theirs))

    play(tmp_path, scene)


@pytest.mark.parametrize("worker_id", ["", "x" * 201])
def test_a_worker_needs_a_usable_id(tmp_path: Path, worker_id: str) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        with pytest.raises(ProtocolError, match="a worker id has 1 to 200"):
            await desk.register(folder, register(worker_id=worker_id))

    play(tmp_path, scene)


def test_a_cancelled_stream_leaves_the_count_and_the_journal_in_agreement(tmp_path: Path) -> None:
    async def scene(desk: PublishDesk, folder: RunFolder) -> None:
        registration = (await desk.register(folder, register())).session
        for first in range(1, 40):
            sending = asyncio.ensure_future(publish(desk, batch(registration, first, 50)))
            for _ in range(first % 4):
                await asyncio.sleep(0)
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sending
        (last,) = await publish(desk, pb.PublishEvents(session=registration, first_seq=1))
        assert_complete(folder, last)

    play(tmp_path, scene)


class Worker:
    """A worker that speaks gRPC to a real daemon."""

    def __init__(self, daemon: Daemon, run_id: str, *, protocol: int = 1) -> None:
        token = daemon.root.token.read_text().strip()
        self.metadata = (("authorization", f"Bearer {token}"),)
        self.channel = grpc.insecure_channel(f"unix:{daemon.root.socket}")
        self.stub = TrainerServiceStub(self.channel)
        request = pb.RegisterWorkerRequest(run_id=run_id, worker_id="w", protocol=protocol)
        self.reply = self.stub.RegisterWorker(request, metadata=self.metadata, timeout=60)

    def publish(self, first: int, count: int, *, batches: int = 1) -> Iterator[int]:
        """Send batches of events; the acknowledgements as they come."""
        registration = self.reply.session
        sending = (batch(registration, first + count * k, count) for k in range(batches))
        for ack in self.stub.PublishRunEvents(sending, metadata=self.metadata, timeout=60):
            yield ack.acked_seq

    def send(self, method: Any, *batches: Any) -> list[int]:
        """Send batches over one of the streams; the acknowledgements."""
        return [ack.acked_seq for ack in method(iter(batches), metadata=self.metadata, timeout=60)]


@contextlib.contextmanager
def live_run(daemon: Daemon) -> Iterator[str]:
    row = daemon.submit(["sleep", "600"])
    until(lambda: daemon.client.run(row.run_id).state is RunState.RUNNING)
    yield row.run_id


def test_a_worker_that_resends_after_the_daemon_was_killed_has_every_event_once(daemon: Daemon) -> None:
    with live_run(daemon) as run_id:
        acked = 0
        for _ in range(3):
            worker = Worker(daemon, run_id)
            assert worker.reply.acked_seq >= acked
            first = max(1, acked - 20)  # it repeats itself, as one does that did not hear the last answer
            with contextlib.suppress(grpc.RpcError), contextlib.closing(worker.channel):
                for acked in worker.publish(first, 50, batches=40):
                    if acked > first + 800:
                        break
                daemon.kill()
            daemon.reconnect()
        worker = Worker(daemon, run_id)
        last = worker.reply.acked_seq
        worker.channel.close()
        assert last >= acked
        daemon.client.stop(run_id)
        until(lambda: not list(daemon.root.run(run_id).journal.glob("g*.jsonl")))  # all are sealed
        assert_complete(daemon.root.run(run_id), last)


def test_a_foreign_protocol_is_refused_by_the_daemon_as_a_failed_precondition(shared_daemon: Daemon) -> None:
    with live_run(shared_daemon) as run_id:
        with pytest.raises(grpc.RpcError) as caught:
            Worker(shared_daemon, run_id, protocol=7)
        assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert "protocol 7" in caught.value.details()
        assert "protocol 1" in caught.value.details()
        shared_daemon.client.stop(run_id)


def test_an_ended_run_takes_no_worker(shared_daemon: Daemon) -> None:
    row = shared_daemon.submit(["true"])
    shared_daemon.wait(row.run_id)
    with pytest.raises(grpc.RpcError) as caught:
        Worker(shared_daemon, row.run_id)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert "is finished" in caught.value.details()


def test_a_batch_over_the_limit_is_refused_and_the_worker_goes_on(shared_daemon: Daemon) -> None:
    with live_run(shared_daemon) as run_id:
        worker = Worker(shared_daemon, run_id)
        huge = pb.PublishEvents(session=worker.reply.session, first_seq=1, lines=[b"x" * (33 << 20)])
        with pytest.raises(grpc.RpcError) as caught:
            list(worker.stub.PublishRunEvents(iter([huge]), metadata=worker.metadata, timeout=60))
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert list(worker.publish(1, 2)) == [2]
        worker.channel.close()
        shared_daemon.client.stop(run_id)


def test_what_is_no_event_ends_in_quarantine_and_the_rest_is_stored_bit_for_bit(
    shared_daemon: Daemon,
) -> None:
    exact = [math.nan, math.inf, -math.inf, -0.0, 5e-324, 0.1]
    steps = [pb.RunStep(episode_id="e", step=k, reward=reward, t=1.0) for k, reward in enumerate(exact)]
    smuggled = pb.RunStep(episode_id="e", step=0, action_json=b'1,"reward":9')
    odd = [b"not json", b"", b"\xff\xfe", b"[" * 2000, b'{"type":"step"}', b'{"type":"new","x":1}']
    with live_run(shared_daemon) as run_id:
        worker = Worker(shared_daemon, run_id)
        registration = worker.reply.session
        batches = [
            pb.PublishSteps(session=registration, first_seq=1, steps=[*steps, smuggled]),
            pb.PublishEvents(session=registration, first_seq=8, lines=odd),
        ]
        worker.send(worker.stub.PublishRunSteps, batches[0])
        assert worker.send(worker.stub.PublishRunEvents, batches[1]) == [13]
        worker.channel.close()
        shared_daemon.client.stop(run_id)
        rows = [row for batch in shared_daemon.client.stream_steps(run_id) for _, row in batch.rows]
    assert [bits_of(row.reward) for row in rows] == [bits_of(reward) for reward in exact]
    with StoreReader(shared_daemon.root.run(run_id)) as reader:
        summary = reader.summary()
        assert (summary.quarantined, summary.unknown, summary.holes) == (6, 1, 0)
    assert verify(shared_daemon.root.run(run_id)) == []
    assert shared_daemon.client.status().faults == 0


def test_a_feed_names_its_segments_by_worker_not_by_process(tmp_path: Path) -> None:
    async def name() -> str:
        desk = PublishDesk()
        feed = WorkerFeed(RunFolder(tmp_path), "../../etc", segment_bytes=1, gap_secs=1, pool=desk._pool)
        await desk.close()
        return feed.producer

    producer = asyncio.run(name())
    assert producer == asyncio.run(name())
    assert producer.startswith("g")
    assert producer.isalnum()
