"""The writer: what is not committed never happened; memory stays bounded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mosaic.store.batch import parse_journal
from mosaic.store.reader import StoreReader
from mosaic.store.schema import open_writer
from mosaic.store.writer import StoreWriter
from tests.store.journals import Segments, end_run, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def lines(*events: dict[str, Any], first: int = 0) -> bytes:
    return b"".join(json.dumps({**e, "seq": first + k}).encode() + b"\n" for k, e in enumerate(events))


def test_an_uncommitted_batch_never_happened(folder: RunFolder) -> None:
    step = {"type": "step", "episode_id": "e", "step": 0}
    writer = StoreWriter(open_writer(folder.store), folder.order)
    writer.begin()
    writer.apply(parse_journal(lines(step), offset=0, next_seq=0), source="a-0000.jsonl", producer="a")
    writer.close()
    with StoreReader(folder) as reader:
        assert (reader.summary().steps, reader.episodes(), reader.cursors()) == (0, [], {})


def test_more_open_episodes_than_fit_in_memory_are_read_back(folder: RunFolder) -> None:
    writer = StoreWriter(open_writer(folder.store), folder.order, max_open=3, max_names=3)
    seq = 0
    for turn in range(4):
        for k in range(10):
            event = {"type": "step", "episode_id": f"env{k}", "step": turn, "reward": 0.1, "t": 1.0}
            writer.begin()
            batch = parse_journal(lines(event, first=seq), offset=0, next_seq=seq)
            writer.apply(batch, source="a-0000.jsonl", producer="a")
            writer.commit()
            seq += 1
    writer.close()
    with StoreReader(folder) as reader:
        for k in range(10):
            row = reader.episode(f"env{k}")
            assert (row.steps, row.return_) == (4, 0.1 + 0.1 + 0.1 + 0.1)
            assert [step.step for step in reader.steps(row.index)] == [0, 1, 2, 3]


def test_an_episode_is_numbered_where_it_is_first_named(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "step", "episode_id": "b", "step": 0}, {"type": "reset", "episode_id": "c"})
    worker.add({"type": "step", "episode_id": "a", "step": 0}, {"type": "step", "episode_id": "c", "step": 0})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert [row.episode_id for row in reader.episodes()] == ["b", "c", "a"]


def test_what_the_episode_event_says_holds_over_what_was_counted(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "step", "episode_id": "e", "step": 0, "reward": 1.0, "t": 5.0})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert (reader.episode("e").steps, reader.episode("e").return_, reader.episode("e").t_end) == (
            1,
            1.0,
            None,
        )
    worker.add(
        {"type": "episode", "episode_id": "e", "steps": 7, "return": 70.0, "outcome": "cut", "t_end": 9.0}
    )
    worker.add({"type": "step", "episode_id": "e", "step": 1, "reward": 1.0, "t": 6.0, "terminated": True})
    worker.write()
    end_run(folder)
    ingest_all(folder, settle=True)
    with StoreReader(folder) as reader:
        row = reader.episode("e")
        assert (row.steps, row.return_, row.outcome, row.t_start, row.t_end) == (7, 70.0, "cut", 5.0, 9.0)
        assert len(reader.steps(row.index)) == 2


def test_a_reset_that_comes_after_its_episode_was_packed_counts_and_a_second_one_does_not(
    folder: RunFolder,
) -> None:
    worker = Segments(folder)
    worker.add({"type": "step", "episode_id": "e", "step": 0, "terminated": True, "t": 5.0})
    worker.write()
    ingest_all(folder)
    for seed in (7, 8):
        worker.add({"type": "reset", "episode_id": "e", "seed": seed, "env_index": 2, "t": 4.0})
        worker.write()
        ingest_all(folder)
        with StoreReader(folder) as reader:
            row = reader.episode("e")
            assert (row.seed, row.env_index, row.t_start, row.outcome) == (7, 2, 4.0, "terminated")
            assert reader.reset(row.index)["seed"] == 7


def test_a_second_reset_of_an_episode_that_was_packed_with_its_first_changes_nothing(
    folder: RunFolder,
) -> None:
    worker = Segments(folder)
    worker.add({"type": "reset", "episode_id": "e", "seed": 7, "t": 4.0})
    worker.add({"type": "step", "episode_id": "e", "step": 0, "terminated": True, "t": 5.0})
    worker.write()
    ingest_all(folder)
    worker.add({"type": "reset", "episode_id": "e", "seed": 8, "t": 9.0})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert (reader.episode("e").seed, reader.episode("e").t_start, reader.reset(0)["seed"]) == (7, 4.0, 7)


def test_an_episode_that_was_put_away_unfinished_can_still_grow(folder: RunFolder) -> None:
    writer = StoreWriter(open_writer(folder.store), folder.order)
    for step in range(4):
        writer.begin()
        event = {"type": "step", "episode_id": "e", "step": step, "terminated": step == 3}
        batch = parse_journal(lines(event, first=step), offset=0, next_seq=step)
        writer.apply(batch, source="a-0000.jsonl", producer="a")
        writer.commit()
        if step == 1:
            writer.begin()
            writer.commit(everything=True)
    writer.close()
    with StoreReader(folder) as reader:
        assert [step.step for step in reader.steps(0)] == [0, 1, 2, 3]
