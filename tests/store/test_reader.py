"""Reading a store: every listing, by cursor, beside a writer."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import StoreError, UsageError
from mosaic.store.ingest import RunIngest
from mosaic.store.reader import StoreReader
from mosaic.store.rebuild import rebuild
from tests.store.journals import PRODUCER, Segments, array, corrupt, end_run, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def filled(folder: RunFolder) -> Segments:
    worker = Segments(folder)
    for k in range(10):
        worker.episode(k, 5 + k, t=1000.0 + k)
    worker.add(
        {"type": "metric", "name": "losses/value", "value": "NaN", "step": 3, "t": 5.5, "source": "tb"}
    )
    worker.add({"type": "metric", "name": "charts/SPS", "value": 1200, "t": 6.5})
    worker.add(
        {
            "type": "checkpoint",
            "path": "c/1.zip",
            "sha256": "ab",
            "bytes": 12,
            "step": 4,
            "meta": {"a": [1]},
            "t": 7,
        }
    )
    worker.add({"type": "config", "args": {"lr": 0.1}}, {"type": "hologram", "size": 9})
    worker.write()
    ingest_all(folder)
    return worker


def test_episodes_are_listed_by_index_and_found_by_index_or_id(folder: RunFolder) -> None:
    filled(folder)
    with StoreReader(folder) as reader:
        rows = reader.episodes()
        assert [row.index for row in rows] == list(range(10))
        assert [row.steps for row in rows] == [5 + k for k in range(10)]
        assert [row.index for row in reader.episodes(first_index=7, limit=2)] == [7, 8]
        row = reader.episode(3)
        assert row == reader.episode(f"{PRODUCER}.0.3")
        assert (row.return_, row.outcome, row.env_id, row.t_start, row.t_end) == (
            8.0,
            "terminated",
            "CartPole-v1",
            1003.0,
            1003.0 + 8 * 0.001,
        )


@pytest.mark.parametrize("key", [10, -1, "nothing", f"{PRODUCER}.0.77"])
def test_an_episode_that_is_not_there_is_refused_with_the_range(folder: RunFolder, key: int | str) -> None:
    filled(folder)
    with StoreReader(folder) as reader, pytest.raises(UsageError, match="episodes 0 to 9"):
        reader.episode(key)


def test_only_what_changed_is_listed_since_a_cursor(folder: RunFolder) -> None:
    worker = filled(folder)
    with StoreReader(folder) as reader:
        cursor = reader.summary().store_seq
        assert reader.episodes(since_seq=cursor) == []
        worker.add({"type": "step", "episode_id": f"{PRODUCER}.0.2", "step": 99})
        worker.episode(10, 2)
        worker.write()
        ingest_all(folder)
        assert [row.index for row in reader.episodes(since_seq=cursor)] == [2, 10]
        steps, after = reader.steps_since(cursor, limit=10)
        assert [(name, row.step) for name, row in steps] == [
            (f"{PRODUCER}.0.2", 99),
            (f"{PRODUCER}.0.10", 0),
            (f"{PRODUCER}.0.10", 1),
        ]
        assert after == reader.summary().store_seq
        assert reader.steps_since(after, limit=10) == ([], after)


@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_following_steps_by_cursor_gives_each_once_and_in_order(folder: RunFolder, limit: int) -> None:
    worker = Segments(folder)
    for k in range(30):
        worker.episode(k, 3)
        worker.add({"type": "metric", "name": "m", "value": k})
        worker.write()
    seen, cursor = [], 0
    with RunIngest(folder, seal=False, turn_bytes=2000) as ingest:
        more = True
        while more:
            turn = ingest.turn()
            more = turn.advanced or turn.more
            with StoreReader(folder) as reader:
                while True:
                    rows, after = reader.steps_since(cursor, limit=limit)
                    seen += [(name, row.step, row.seq) for name, row in rows]
                    if after == cursor:
                        break
                    cursor = after
    assert [(name, step) for name, step, _ in seen] == [
        (f"{PRODUCER}.0.{k}", s) for k in range(30) for s in range(3)
    ]
    assert [seq for *_, seq in seen] == sorted(seq for *_, seq in seen)


def test_steps_have_their_values(folder: RunFolder) -> None:
    filled(folder)
    with StoreReader(folder) as reader:
        row = reader.steps(4)[2]
        assert (row.step, row.action, row.reward, row.terminated) == (2, 0, 1.0, False)
        assert row.obs == array(0.2, -2, 4, 0.5)
        assert reader.steps(4)[-1].terminated
        assert [row.step for row in reader.steps(4, first=3, limit=2)] == [3, 4]


def test_a_reset_has_its_environment_filled_in(folder: RunFolder) -> None:
    filled(folder)
    with StoreReader(folder) as reader:
        for index in (0, 9):
            reset = reader.reset(index)
            assert reset["episode_id"] == f"{PRODUCER}.0.{index}"
            assert reset["env"]["id"] == "CartPole-v1"
            assert reset["rng"] == {"state": f"{index}99", "inc": "7"}


def test_metrics_are_found_under_both_names(folder: RunFolder) -> None:
    filled(folder)
    with StoreReader(folder) as reader:
        (row,) = reader.metrics(name="loss/value")
        assert (row.name, row.canonical, row.step, row.t, row.source) == (
            "losses/value",
            "loss/value",
            3,
            5.5,
            "tb",
        )
        assert math.isnan(row.value)
        assert [row.value for row in reader.metrics(name="charts/SPS")] == [1200.0]
        assert [row.name for row in reader.metrics(since_seq=row.seq)] == ["charts/SPS"]
        assert reader.metric_names() == [("charts/SPS", "sps", 1), ("losses/value", "loss/value", 1)]


def test_checkpoints_and_other_events_are_listed(folder: RunFolder) -> None:
    filled(folder)
    with StoreReader(folder) as reader:
        (saved,) = reader.checkpoints()
        assert (saved.path, saved.sha256, saved.bytes, saved.meta) == ("c/1.zip", "ab", 12, {"a": [1]})
        assert [kind for _, kind, _ in reader.events()] == ["hello", "config", "hologram"]
        ((_, _, config),) = reader.events("config")
        assert json.loads(config)["args"] == {"lr": 0.1}


def test_the_return_curve_has_every_ended_episode_once(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(2500):
        worker.add({"type": "episode", "episode_id": f"e{k}", "steps": k, "return": k / 2, "t_end": 5.0 + k})
    worker.episode(0, 3, close=False)
    worker.write()
    ingest_all(folder, turn_bytes=30_000)
    worker.add({"type": "episode", "episode_id": "e7", "steps": 70, "return": -1.0, "t_end": 9.0})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        curve = reader.returns()
    assert curve.index.tolist() == list(range(2500))
    assert curve.steps.tolist() == [k if k != 7 else 70 for k in range(2500)]
    assert curve.return_.tolist() == [k / 2 if k != 7 else -1.0 for k in range(2500)]
    assert curve.t_end[8] == 13.0


def test_a_curve_without_episodes_is_empty(folder: RunFolder) -> None:
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert len(reader.returns()) == 0
        assert reader.summary().last_return is None
        with pytest.raises(UsageError, match="no episodes yet"):
            reader.episode(0)


def test_a_missing_store_says_what_to_do(folder: RunFolder) -> None:
    with pytest.raises(StoreError, match="mosaic rebuild"):
        StoreReader(folder)


def test_a_damaged_store_says_what_to_do(folder: RunFolder) -> None:
    filled(folder)
    corrupt(folder.store, lambda data: data.__setitem__(slice(0, 400), b"\xee" * 400))
    with pytest.raises(StoreError, match="mosaic rebuild"):
        StoreReader(folder)


def test_a_reader_follows_a_store_that_is_rebuilt(folder: RunFolder) -> None:
    worker = filled(folder)
    with StoreReader(folder) as reader:
        before = reader.episodes()
        rebuild(folder)
        assert [row.episode_id for row in reader.episodes()] == [row.episode_id for row in before]
        worker.episode(10, 2)
        worker.write()
        end_run(folder)
        ingest_all(folder, settle=True)
        assert len(reader.episodes()) == 11


def test_a_snapshot_does_not_move(folder: RunFolder) -> None:
    worker = filled(folder)
    with StoreReader(folder) as reader:
        with reader.snapshot():
            before = reader.summary()
            worker.episode(10, 2)
            worker.write()
            ingest_all(folder)
            assert reader.summary() == before
            assert len(reader.episodes()) == before.episodes
        assert reader.summary().episodes == before.episodes + 1


def test_events_of_an_episode_nobody_wrote_of_are_refused_by_its_id(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "log", "text": "alone"})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader, pytest.raises(UsageError, match="there is no episode 'nobody-3'"):
        reader.events(["decision"], episode="nobody-3")
