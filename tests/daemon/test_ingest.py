"""The ingest process, as the daemon runs it: orders in, news out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import pytest

from mosaic.daemon.ingest import IngestProcess, Outbox
from mosaic.runs import freshness
from mosaic.store.ingest import RunIngest, Turn
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.store.journals import Segments, end_run, make_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder


class Talk:
    """A running ingest process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self.orders: IO[bytes] = process.stdin
        self.news: IO[bytes] = process.stdout

    def order(self, cmd: str, folder: RunFolder) -> None:
        self.orders.write(json.dumps({"cmd": cmd, "run_dir": str(folder.path)}).encode() + b"\n")
        self.orders.flush()

    def until(self, **wanted: Any) -> dict[str, Any]:
        """The first news with these values."""
        for line in self.news:
            said: dict[str, Any] = json.loads(line)
            if all(said.get(key) == value for key, value in wanted.items()):
                return said
        raise AssertionError(f"ingest ended without saying {wanted}")


class HandClock:
    """A clock that stands until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class ByHand(IngestProcess):
    """Ingest in this process, that works only when it is called."""

    def obey(self, cmd: str, folder: RunFolder) -> None:
        self._obey(json.dumps({"cmd": cmd, "run_dir": str(folder.path)}).encode())

    def turns(self) -> int:
        """Hear what readers ask for, take each turn that is due by the clock as it stands; how many."""
        self._listen(0.0)
        count = 0
        for run_id in list(self._runs):
            if self._due_at(self._runs[run_id]) <= self._clock():
                self._take_turn(run_id)
                count += 1
        return count


@contextmanager
def by_hand(clock: HandClock) -> Iterator[ByHand]:
    orders, of_orders = os.pipe()
    news, of_news = os.pipe()
    ingest = ByHand(orders, of_news, clock=clock)
    try:
        yield ingest
    finally:
        ingest.close()
        for fd in (orders, of_orders, news, of_news):
            os.close(fd)


@contextmanager
def ingesting() -> Iterator[Talk]:
    command = [sys.executable, "-m", "mosaic.daemon.ingest"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    talk = Talk(process)
    try:
        yield talk
    finally:
        if not talk.orders.closed:
            talk.orders.close()
        talk.news.close()
        process.wait(20)


def test_a_watched_run_is_ingested_and_settled(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.episode(0, 5)
    worker.write()
    with ingesting() as ingest:
        ingest.order("watch", folder)
        assert ingest.until(run_id=folder.run_id, settled=False)["summary"]["steps"] == 5
        end_run(folder)
        assert ingest.until(run_id=folder.run_id, settled=True)["summary"]["episodes"] == 1
        ingest.orders.close()
        assert ingest.process.wait(20) == 0
    assert verify(folder) == []
    assert list(folder.journal.glob("*.jsonl")) == []


def test_a_pipe_in_the_journal_costs_its_run_a_warning_and_its_neighbour_nothing(tmp_path: Path) -> None:
    bad, good = make_run(tmp_path, "bad"), make_run(tmp_path, "good")
    os.mkfifo(bad.journal / "q-0000.jsonl")
    for folder in (bad, good):
        worker = Segments(folder)
        worker.episode(0, 5)
        worker.write()
        end_run(folder)
    with ingesting() as ingest:
        ingest.order("watch", bad)
        summary = ingest.until(run_id="bad", settled=True)["summary"]
        assert summary["steps"] == 5
        assert "journal/q-0000.jsonl is not a regular file" in summary["warnings"][0]
        ingest.order("watch", good)
        assert ingest.until(run_id="good", settled=True)["summary"]["warnings"] == []


def test_a_flooding_run_does_not_hold_up_the_others(tmp_path: Path) -> None:
    flood, small = make_run(tmp_path, "flood"), make_run(tmp_path, "small")
    worker = Segments(flood)
    worker.raw(b'{"type":"log","text":"x","seq":1}\n' * 150_000)
    worker.write()
    other = Segments(small)
    other.episode(0, 3)
    other.write()
    for folder in (flood, small):
        end_run(folder)
    with ingesting() as ingest:
        ingest.order("watch", flood)
        ingest.order("watch", small)
        order: list[str] = []
        while len(order) < 2:
            order.append(ingest.until(settled=True)["run_id"])
    assert order == ["small", "flood"]


def test_a_run_that_fails_is_reported_and_tried_again_and_the_others_go_on(tmp_path: Path) -> None:
    bad, good = make_run(tmp_path, "bad"), make_run(tmp_path, "good")
    os.mkfifo(bad.order)
    worker = Segments(good)
    worker.episode(0, 3)
    worker.write()
    end_run(bad)
    end_run(good)
    with ingesting() as ingest:
        ingest.order("watch", bad)
        said = ingest.until(run_id="bad")
        assert "a named pipe where a file should be" in said["error"]
        ingest.order("watch", good)
        ingest.until(run_id="good", settled=True)
        bad.order.unlink()
        ingest.until(run_id="bad", settled=True)


def test_a_rebuild_is_answered_and_the_run_still_watched(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.episode(0, 5)
    worker.write()
    with ingesting() as ingest:
        ingest.order("watch", folder)
        ingest.until(run_id=folder.run_id)
        ingest.order("rebuild", folder)
        assert ingest.until(done="rebuild")["summary"]["steps"] == 5
        worker.episode(1, 5)
        worker.write()
        end_run(folder)
        assert ingest.until(settled=True)["summary"]["steps"] == 10


def test_a_forgotten_run_is_let_go(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    Segments(folder).write()
    with ingesting() as ingest:
        ingest.order("watch", folder)
        ingest.until(run_id=folder.run_id)
        ingest.order("forget", folder)
        ingest.order("rebuild", folder)  # needs the lock that was let go
        assert ingest.until(done="rebuild")["error"] is None


def test_an_order_that_is_none_is_said_so(tmp_path: Path) -> None:
    with ingesting() as ingest:
        ingest.orders.write(b"hello\n")
        ingest.orders.flush()
        assert "is none" in ingest.until()["error"]
        ingest.order("dance", make_run(tmp_path))
        assert "dance" in ingest.until()["error"]


def test_nobody_reading_the_news_stops_nothing(tmp_path: Path) -> None:
    folders = [make_run(tmp_path, f"run{k}") for k in range(3)]
    with ingesting() as ingest:
        for folder in folders:
            worker = Segments(folder)
            for k in range(25):
                worker.episode(k, 2)
                worker.write()
            end_run(folder)
            ingest.order("watch", folder)
        names = {ingest.until(settled=True)["run_id"] for _ in folders}
    assert names == {folder.run_id for folder in folders}


def test_floats_json_cannot_say_are_spelled_out(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.add({"type": "episode", "episode_id": "e", "steps": 1, "return": "NaN"})
    worker.write()
    with ingesting() as ingest:
        ingest.order("watch", folder)
        assert ingest.until(run_id=folder.run_id)["summary"]["last_return"] == "NaN"


def test_killed_ingest_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    for k in range(50):
        worker.episode(k, 20)
    worker.write()
    with ingesting() as ingest:
        ingest.order("watch", folder)
        ingest.until(run_id=folder.run_id)
        os.kill(ingest.process.pid, signal.SIGKILL)
        ingest.process.wait()
    worker.episode(50, 20)
    worker.write()
    end_run(folder)
    with ingesting() as ingest:
        ingest.order("watch", folder)
        ingest.until(settled=True)
    with StoreReader(folder) as reader:
        assert reader.summary().steps == 51 * 20
    assert verify(folder) == []


def test_news_for_a_full_pipe_are_merged_per_run_and_answers_are_kept() -> None:
    reading, writing = os.pipe()
    try:
        box = Outbox(writing)
        filler = b"x" * 70_000 + b"\n"
        box.put("filler", filler, must=True)
        box.flush()  # more than the pipe holds: stuck in the middle of a line
        for k in range(1000):
            box.put("run", b"news %d\n" % k, must=False)
            box.put("other", b"old news\n", must=False)
        box.put("other", b"answer\n", must=True)  # and what it makes old is dropped
        box.flush()
        assert box.waiting()
        received = b""
        while box.waiting() or len(received) < len(filler) + 16:
            received += os.read(reading, 1 << 16)
            box.flush()
        assert received == filler + b"answer\nnews 999\n"
    finally:
        os.close(reading)
        os.close(writing)


def test_after_a_poke_the_store_holds_what_was_acknowledged_before_it(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.write(live=True)
    with ingesting() as ingest:
        ingest.order("watch", folder)
        ingest.until(run_id=folder.run_id)
        for episode in range(5):
            worker.episode(episode, 5)
            worker.append_live()
            assert freshness.refresh([folder], timeout_secs=60.0)
            with StoreReader(folder) as reader:
                assert reader.summary().steps == 5 * (episode + 1)
    worker.die()


def test_what_nobody_asks_for_waits_and_a_lease_brings_it(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.write(live=True)
    clock = HandClock()
    with by_hand(clock) as ingest:
        ingest.obey("watch", folder)
        ingest.turns()
        clock.now += 100.0  # long past its first events
        ingest.turns()
        worker.episode(0, 5)
        worker.append_live()
        clock.now += 1.0
        assert ingest.turns() == 0
        freshness.keep_fresh(folder, secs=5.0)
        assert ingest.turns() == 1
        with StoreReader(folder) as reader:
            assert reader.summary().steps == 5
        counted = 0
        for _ in range(20):
            clock.now += 0.05
            counted += ingest.turns()
        assert counted in (9, 10)
    worker.die()


def test_a_poke_between_turns_is_answered_by_the_next_one(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.write(live=True)
    clock = HandClock()
    with by_hand(clock) as ingest:
        ingest.obey("watch", folder)
        ingest.turns()
        clock.now += 100.0
        ingest.turns()
        asked = freshness.poke(folder)
        before = freshness.stored_nanos(folder)
        assert before is not None
        assert before < asked
        clock.now += 0.05
        assert ingest.turns() == 1
        stored = freshness.stored_nanos(folder)
        assert stored is not None
        assert stored >= asked
    worker.die()


def test_a_poke_during_a_turn_is_not_answered_by_that_turn_but_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.write(live=True)
    clock = HandClock()
    asked: list[int] = []
    turn = RunIngest.turn

    def turn_and_poke(self: RunIngest) -> Turn:
        done = turn(self)
        worker.episode(0, 5)  # acknowledged after this turn has read
        worker.append_live()
        asked.append(freshness.poke(folder))
        return done

    with by_hand(clock) as ingest:
        ingest.obey("watch", folder)
        ingest.turns()
        clock.now += 100.0
        with monkeypatch.context() as patched:
            patched.setattr(RunIngest, "turn", turn_and_poke)
            assert ingest.turns() == 1
        stored = freshness.stored_nanos(folder)
        assert stored is not None
        assert stored < asked[0]
        clock.now += 0.05
        assert ingest.turns() == 1
        stored = freshness.stored_nanos(folder)
        assert stored is not None
        assert stored >= asked[0]
        with StoreReader(folder) as reader:
            assert reader.summary().steps == 5
    worker.die()


def test_a_run_that_ends_is_stored_to_its_end_without_being_asked(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.write(live=True)
    clock = HandClock()
    with by_hand(clock) as ingest:
        ingest.obey("watch", folder)
        ingest.turns()
        clock.now += 100.0
        ingest.turns()
        worker.episode(0, 5)
        worker.append_live()
        worker.die()
        worker.finish()
        end_run(folder)
        record = folder.exit.rename(folder.path / ".exit.json")  # as the shim does it: whole, under its name
        record.rename(folder.exit)
        clock.now += 0.02
        for _ in range(4):
            ingest.turns()
        with StoreReader(folder) as reader:
            assert reader.summary().steps == 5
        assert not folder.fresh.exists()
        assert not folder.stored.exists()


def test_something_in_the_way_of_asking_costs_the_run_its_freshness_and_nothing_else(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    folder.fresh.mkdir()
    worker = Segments(folder)
    worker.episode(0, 5)
    worker.write()
    end_run(folder)
    with ingesting() as ingest:
        ingest.order("watch", folder)
        assert ingest.until(run_id=folder.run_id, settled=True)["summary"]["steps"] == 5


def test_a_rebuild_is_due_at_once_even_before_the_clock_has_moved(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.write(live=True)
    with by_hand(HandClock()) as ingest:
        ingest.obey("watch", folder)
        assert [ingest.turns() for _ in range(2)] == [1, 0], "nobody asks for it"
        ingest.obey("rebuild", folder)
        assert ingest.turns() == 1
    worker.die()
