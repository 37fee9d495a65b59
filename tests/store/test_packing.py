"""Where steps go: short episodes share chunks, long ones have their own, nothing waits in many pieces."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import apsw
import pytest

from mosaic.store import curve
from mosaic.store.packing import decode_own
from mosaic.store.reader import StoreReader
from mosaic.store.schema import open_reader, rows
from mosaic.store.verify import verify
from tests.store.journals import Segments, end_run, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def chunks_of(folder: RunFolder) -> list[tuple[int | None, int, int]]:
    """Episode, live, steps of every chunk."""
    db = open_reader(folder.store)
    found = rows(db, "SELECT episode, live, data FROM chunks ORDER BY id")
    db.close()
    return [(episode, live, len(decode_own(data).steps)) for episode, live, data in found]


def test_short_episodes_share_chunks_of_at_most_1024_steps(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(200):
        worker.episode(k, 20)
    worker.write()
    end_run(folder)
    ingest_all(folder, settle=True)
    chunks = chunks_of(folder)
    assert all((episode, live) == (None, 0) for episode, live, _ in chunks)
    assert [count for *_, count in chunks] == [1020, 1020, 1020, 940]


def test_the_newest_pack_grows_in_its_place_while_the_run_goes_on(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(60):
        worker.episode(k, 20)
        worker.write()
    ingest_all(folder, turn_bytes=1)
    assert chunks_of(folder) == [(None, 0, 1020), (None, 1, 180)]
    assert verify(folder) == []


def test_an_open_pack_is_taken_up_again_by_the_next_writer(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(3):
        worker.episode(k, 20)
        worker.write()
        ingest_all(folder)
    assert chunks_of(folder) == [(None, 1, 60)]
    end_run(folder)
    ingest_all(folder, settle=True)
    assert chunks_of(folder) == [(None, 0, 60)]
    assert verify(folder) == []


def test_a_short_episode_that_was_stored_while_it_ran_shares_a_chunk_once_it_is_over(
    folder: RunFolder,
) -> None:
    worker = Segments(folder)
    worker.episode(0, 20)
    for k in range(6):
        worker.add({"type": "step", "episode_id": "e", "step": k, "terminated": k == 5})
        worker.write()
    ingest_all(folder, turn_bytes=1)
    assert chunks_of(folder) == [(None, 1, 26)]


@pytest.mark.parametrize("pieces", [1, 2, 3, 20])
@pytest.mark.parametrize("observed", ["small", "x" * 5000])
def test_an_episode_is_packed_whole_in_however_many_commits_it_came(
    folder: RunFolder, pieces: int, observed: str
) -> None:
    worker = Segments(folder)
    rewards = [float(k) for k in range(3 * pieces)]
    for k, reward in enumerate(rewards):
        last = k == len(rewards) - 1
        event = {"type": "step", "episode_id": "e", "step": k, "reward": reward, "obs": observed}
        worker.add({**event, "terminated": last})
        if k % 3 == 2:
            worker.write()
    ingest_all(folder, turn_bytes=1)
    with StoreReader(folder) as reader:
        assert [step.reward for step in reader.steps(0)] == rewards
    assert chunks_of(folder) == [(None, 1, len(rewards))]
    assert verify(folder) == []


def test_a_reader_sees_an_open_pack_grow(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 20)
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert len(reader.steps(0)) == 20
        worker.episode(1, 5)
        worker.write()
        ingest_all(folder)
        assert len(reader.steps(1)) == 5


def test_a_long_episode_has_full_chunks_of_its_own(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 2500)
    worker.write()
    end_run(folder)
    ingest_all(folder, turn_bytes=1000, settle=True)
    assert [(episode, live) for episode, live, _ in chunks_of(folder)] == [(0, 0)] * 3
    assert sorted(count for *_, count in chunks_of(folder)) == [452, 1024, 1024]


def test_a_trickling_episode_does_not_pile_up_chunks(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(100):
        worker.add({"type": "step", "episode_id": "e", "step": k})
        worker.write()
    ingest_all(folder, turn_bytes=1)
    assert len(chunks_of(folder)) <= 16
    assert verify(folder) == []


def test_big_observations_make_smaller_chunks(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(12):
        worker.add({"type": "step", "episode_id": "e", "step": k, "obs": f"{k}" * 300_000})
    worker.write()
    end_run(folder)
    ingest_all(folder, settle=True)
    assert max(count for *_, count in chunks_of(folder)) <= 4
    assert verify(folder) == []


def test_a_chunk_that_is_not_what_was_written_counts_as_damage() -> None:
    with pytest.raises(apsw.CorruptError):
        decode_own(b"nonsense that is no chunk")


def test_the_newest_points_of_the_curve_are_packed_quickly_and_full_blocks_tightly(folder: RunFolder) -> None:
    worker = Segments(folder)
    chance = random.Random(1)
    for count in (curve.TAIL, curve.TAIL - 1):
        for _ in range(count):
            name, return_ = f"e{worker.seq}", chance.random()
            worker.add({"type": "episode", "episode_id": name, "steps": 1, "return": return_, "t": 1.0})
        worker.write()
        ingest_all(folder)
    db = open_reader(folder.store)
    stored = dict(rows(db, "SELECT block, data FROM curve"))
    db.close()
    assert sorted(stored) == [-1, 0]
    for block, data in stored.items():
        points = curve.points_of(curve.decode(data))
        quick, tight = (curve.encode(points, quick=quick) for quick in (True, False))
        assert quick != tight
        assert data == (quick if block == -1 else tight)
