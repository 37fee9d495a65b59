"""Reading streams: history, then live, no seam, no duplicate, nothing kept for a reader that stopped."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import psutil
import pytest

from mosaic.daemon.streams import StreamDesk
from mosaic.errors import StoreError, UsageError
from mosaic.paths import RunFolder
from mosaic.protocol.runs import RunState
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.rpc.pb.trainer_pb2_grpc import TrainerServiceStub
from tests.daemon.following import Reader, Run, play, rewards
from tests.daemons import Daemon, until

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path / "run")
    yield run
    run.close()


def test_history_and_live_join_without_a_seam(run: Run) -> None:
    run.steps(0, 300)

    async def scene(desk: StreamDesk) -> None:
        reader = Reader(desk, run, batch_rows=70)
        batches = [await reader.next() for _ in range(3)]
        assert not batches[0].live
        run.steps(300, 200)
        while not batches[-1].live:
            batches.append(await reader.next())
        run.steps(500, 1)
        batches.append(await reader.next())
        run.complete = True
        batches += await reader.all()
        assert rewards(batches) == [float(n) for n in range(501)]
        seqs = [row.seq for batch in batches for row in batch.rows]
        assert seqs == sorted(set(seqs))

    play(scene)


def test_a_stream_that_breaks_goes_on_at_the_cursor_of_its_last_batch(run: Run) -> None:
    run.steps(0, 200)
    run.complete = True

    async def scene(desk: StreamDesk) -> None:
        found, since = [], 0
        while True:
            reader = Reader(desk, run, batch_rows=30, since_seq=since)
            batch = await reader.next(grant=0)
            reader.leave()
            await reader.task
            if not batch.rows:
                break
            found.append(batch)
            since = batch.next_seq
        assert rewards(found) == [float(n) for n in range(200)]

    play(scene)


def test_no_more_batches_are_sent_than_were_asked_for(run: Run) -> None:
    run.steps(0, 500)

    async def scene(desk: StreamDesk) -> None:
        reader = Reader(desk, run, batch_rows=10, credits=3)
        for _ in range(3):
            await reader.next(grant=0)
        await asyncio.sleep(0.05)
        assert reader.sent == 3
        reader.grant(2)
        for _ in range(2):
            await reader.next(grant=0)
        await asyncio.sleep(0.05)
        assert reader.sent == 5
        reader.leave()
        await reader.task

    play(scene)


def test_negative_credits_take_nothing_away(run: Run) -> None:
    run.steps(0, 30)

    async def scene(desk: StreamDesk) -> None:
        reader = Reader(desk, run, batch_rows=10)
        await reader.next(grant=0)
        reader.grant(-5)
        reader.grant(1)
        assert rewards([await reader.next(grant=0)]) == [float(n) for n in range(10, 20)]
        reader.leave()
        await reader.task

    play(scene)


def test_what_is_stored_while_completeness_is_asked_is_still_sent(run: Run) -> None:
    run.steps(0, 3)

    class Ending:
        """Its last rows are stored just before it says, for the first time, that it is complete."""

        folder = run.folder
        asked = 0

        @property
        def complete(self) -> bool:
            self.asked += 1
            if self.asked == 1:
                run.steps(3, 2)
            return True

    async def scene(desk: StreamDesk) -> None:
        batches = await Reader(desk, Ending()).all()  # type: ignore[arg-type]
        assert rewards(batches) == [0.0, 1.0, 2.0, 3.0, 4.0]

    play(scene)


def test_a_stream_without_credits_is_refused(run: Run) -> None:
    async def scene(desk: StreamDesk) -> None:
        reader = Reader(desk, run, credits=0)
        with pytest.raises(UsageError, match="at least one credit"):
            await reader.task

    play(scene)


def test_a_starved_viewer_is_moved_to_the_head_and_told_what_it_missed(run: Run) -> None:
    run.steps(0, 10)

    async def scene(desk: StreamDesk) -> None:
        reader = Reader(desk, run, batch_rows=100, when_starved=pb.COALESCE)
        first = await reader.next(grant=0)
        assert first.live
        run.steps(10, 5000)
        await asyncio.sleep(0.1)  # longer than starved_secs below, by construction of this test
        run.complete = True
        reader.grant(1)
        batches = [first, *await reader.all()]
        told = batches[1].skipped
        assert told.from_seq == first.next_seq
        seen = {row.seq for batch in batches for row in batch.rows}
        assert min(row.seq for row in batches[1].rows) > told.to_seq
        every = set(range(min(seen), max(seen) + 1))
        assert every - seen == set(range(told.from_seq + 1, told.to_seq + 1))
        assert rewards(batches)[-1] == 5009.0
        assert sum(batch.HasField("skipped") for batch in batches) == 1

    play(scene, starved_secs=0.02)


def test_a_starved_reader_that_wants_everything_gets_everything(run: Run) -> None:
    run.steps(0, 10)

    async def scene(desk: StreamDesk) -> None:
        reader = Reader(desk, run, batch_rows=100, when_starved=pb.WAIT)
        first = await reader.next(grant=0)
        run.steps(10, 3000)
        await asyncio.sleep(0.05)
        run.complete = True
        reader.grant(1)
        batches = [first, *await reader.all()]
        assert rewards(batches) == [float(n) for n in range(3010)]
        assert not any(batch.HasField("skipped") for batch in batches)

    play(scene, starved_secs=0.01)


def test_a_viewer_still_in_the_past_is_not_moved(run: Run) -> None:
    run.steps(0, 3000)

    async def scene(desk: StreamDesk) -> None:
        reader = Reader(desk, run, batch_rows=100, when_starved=pb.COALESCE)
        first = await reader.next(grant=0)
        await asyncio.sleep(0.05)
        run.complete = True
        reader.grant(1)
        assert rewards([first, *await reader.all()]) == [float(n) for n in range(3000)]

    play(scene, starved_secs=0.01)


def test_large_rows_make_small_batches(run: Run) -> None:
    run.steps(0, 60, size=20_000)
    run.complete = True

    async def scene(desk: StreamDesk) -> None:
        batches = await Reader(desk, run).all()
        assert rewards(batches) == [float(n) for n in range(60)]
        assert max(batch.ByteSize() for batch in batches) <= 110_000

    play(scene, batch_bytes=100_000)


def test_a_row_larger_than_a_batch_is_sent_alone(run: Run) -> None:
    run.steps(0, 5, size=50_000)
    run.complete = True

    async def scene(desk: StreamDesk) -> None:
        batches = await Reader(desk, run).all()
        assert [len(batch.rows) for batch in batches if batch.rows] == [1] * 5

    play(scene, batch_bytes=10_000)


def test_episodes_come_again_when_they_change_and_no_change_is_missed(run: Run) -> None:
    def play_one(n: int) -> None:
        run.steps(0, 2, episode=f"e{n}")
        run.write({"type": "episode", "episode_id": f"e{n}", "steps": 2, "return": 1.0, "t": 1.0})

    for n in range(50):
        play_one(n)

    async def scene(desk: StreamDesk) -> None:
        reader = Reader(desk, run, "StreamRunEpisodes", batch_rows=20)
        batches = [await reader.next()]
        run.steps(0, 1, episode="open")
        play_one(50)
        while not batches[-1].live:
            batches.append(await reader.next())
        run.write({"type": "episode", "episode_id": "open", "steps": 1, "return": 0.0, "t": 1.0})
        run.complete = True
        batches += await reader.all()
        rows = [row for batch in batches for row in batch.rows]
        assert len({(row.index, row.seq) for row in rows}) == len(rows)
        latest = {row.episode_id: row for row in rows}
        assert set(latest) == {f"e{n}" for n in range(51)} | {"open"}
        assert latest["open"].t_end == 1.0

    play(scene)


def test_metrics_and_events_are_followed_by_name_and_type(run: Run) -> None:
    for n in range(5):
        run.write(
            {"type": "metric", "name": "loss", "value": float(n), "t": 1.0},
            {"type": "metric", "name": "lr", "value": 0.5, "t": 1.0},
            {"type": "log", "text": f"line {n}"},
        )
    run.complete = True

    async def scene(desk: StreamDesk) -> None:
        losses = await Reader(desk, run, "StreamRunMetrics", kind="loss", batch_rows=2).all()
        assert [row.value for batch in losses for row in batch.rows] == [0.0, 1.0, 2.0, 3.0, 4.0]
        every = await Reader(desk, run, "StreamRunMetrics").all()
        assert sum(len(batch.rows) for batch in every) == 10
        logs = await Reader(desk, run, "StreamRunEvents", kind="log").all()
        texts = [json.loads(row.json)["text"] for batch in logs for row in batch.rows]
        assert texts == [f"line {n}" for n in range(5)]

    play(scene)


def test_a_run_without_a_store_yet_is_followed_from_its_first_row(tmp_path: Path) -> None:
    async def scene(desk: StreamDesk) -> None:
        class NoRun:
            folder = RunFolder(tmp_path / "run")
            complete = False

        reader = Reader(desk, NoRun())  # type: ignore[arg-type]
        first = await reader.next()
        assert (list(first.rows), first.live, first.next_seq) == ([], True, 0)
        run = Run(tmp_path / "run")
        run.steps(0, 3)
        assert rewards([await reader.next()]) == [0.0, 1.0, 2.0]
        reader.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reader.task
        run.close()

    play(scene)


def test_a_store_that_is_just_being_made_is_waited_for(tmp_path: Path) -> None:
    run = Run(tmp_path / "made")
    run.steps(0, 3)
    run.complete = True
    whole, hidden = run.folder.store, tmp_path / "hidden"
    run.close()
    whole.rename(hidden)
    whole.touch()

    async def scene(desk: StreamDesk) -> None:
        run.complete = False
        reader = Reader(desk, run)
        await asyncio.sleep(0.05)
        hidden.rename(whole)
        run.complete = True
        assert rewards(await reader.all()) == [0.0, 1.0, 2.0]

    play(scene, patience_secs=30)


def test_a_store_that_stays_unreadable_ends_the_stream_with_the_reason(tmp_path: Path) -> None:
    run = Run(tmp_path / "bad")
    run.close()
    run.folder.store.write_bytes(b"no database " * 1000)

    async def scene(desk: StreamDesk) -> None:
        with pytest.raises(StoreError, match=r"telemetry\.sqlite"):
            await Reader(desk, run).task

    play(scene, patience_secs=0.02)


FLOOD = """
import json, sys, time
for episode in range(120):
    for n in range(1000):
        line = {"type": "step", "episode_id": str(episode), "step": n, "reward": 1.0, "obs": [0.5] * 8}
        sys.stdout.write(json.dumps(line) + "\\n")
sys.stdout.flush()
time.sleep(600)
"""


def test_the_memory_of_the_daemon_stays_flat_under_a_reader_that_stopped(daemon: Daemon) -> None:
    run_id = daemon.submit([sys.executable, "-S", "-c", FLOOD]).run_id
    until(lambda: daemon.client.run(run_id).state is RunState.RUNNING)
    token = daemon.root.token.read_text().strip()
    metadata = (("authorization", f"Bearer {token}"),)
    before = psutil.Process(daemon.pid).memory_info().rss
    stopped = threading.Event()

    def one_then_silence() -> Iterator[Any]:
        yield pb.ReadRequest(run=run_id, credits=4, when_starved=pb.COALESCE)
        stopped.wait()

    with grpc.insecure_channel(f"unix:{daemon.root.socket}") as channel:
        call = TrainerServiceStub(channel).StreamRunSteps(one_then_silence(), metadata=metadata)
        try:
            until(lambda: daemon.client.run(run_id).steps >= 120_000, timeout_secs=60)
            grown = psutil.Process(daemon.pid).memory_info().rss - before
        finally:
            stopped.set()
            call.cancel()
    assert grown < 64 << 20
    assert daemon.client.status().faults == 0
