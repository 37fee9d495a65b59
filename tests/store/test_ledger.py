"""Rows that are no steps: integers of any size, environments by key, unknown things kept as they came."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.store.journals import Segments, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

HUGE = 123456789012345678901234567890


def test_integers_over_64_bits_are_kept_everywhere(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "metric", "name": "m", "value": 1, "step": HUGE})
    worker.add({"type": "checkpoint", "path": "p", "bytes": HUGE, "meta": {"n": HUGE}})
    worker.add({"type": "config", "args": {"n": HUGE}, "seed": HUGE})
    worker.add({"type": "decision", "episode_id": "e", "step": HUGE, "data": HUGE})
    worker.add(
        {
            "type": "reset",
            "episode_id": "e",
            "seed": HUGE,
            "rng": {"state": HUGE},
            "env": {"id": "E", "kwargs": {"n": HUGE}},
        }
    )
    worker.add({"type": "step", "episode_id": "e", "step": 0, "action": HUGE, "turn": HUGE})
    worker.write()
    assert ingest_all(folder).quarantined == 0
    with StoreReader(folder) as reader:
        assert reader.metrics()[0].step == HUGE
        assert (reader.checkpoints()[0].bytes, reader.checkpoints()[0].meta) == (HUGE, {"n": HUGE})
        assert json.loads(reader.events("config")[0][2])["args"] == {"n": HUGE}
        (decision,) = reader.events("decision", episode="e")
        assert json.loads(decision.data) == {
            "type": "decision", "episode_id": "e", "step": HUGE, "data": HUGE,
        }  # fmt: skip
        assert reader.episode("e").seed == HUGE
        assert reader.reset(0)["rng"] == {"state": HUGE}
        assert reader.reset(0)["env"]["kwargs"] == {"n": HUGE}
        assert (reader.steps(0)[0].action, reader.steps(0)[0].turn) == (HUGE, HUGE)
    assert verify(folder) == []


def test_an_environment_holds_for_later_resets_of_its_key_and_producer(folder: RunFolder) -> None:
    first, second = Segments(folder, producer="a1"), Segments(folder, producer="b1")
    for worker, names in ((first, ("A", None, "B", None)), (second, (None, "C"))):
        for k, name in enumerate(names):
            reset = {"type": "reset", "episode_id": f"{worker.producer}.{k}", "env_key": "0"}
            worker.add(reset if name is None else {**reset, "env": {"id": name}})
            worker.write()
    ingest_all(folder)
    ingest_all(folder)
    with StoreReader(folder) as reader:
        found = {row.episode_id: row.env_id for row in reader.episodes()}
    assert found == {"a1.0": "A", "a1.1": "A", "a1.2": "B", "a1.3": "B", "b1.0": None, "b1.1": "C"}


def test_a_decision_with_a_word_for_a_float_is_quarantined_and_costs_only_itself(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "decision", "t": "soon"}, {"type": "decision", "ms": "NaN"})
    worker.add({"type": "decision", "ms": "soon"})  # a field that 0.1 did not know: it may mean anything
    worker.write()
    assert ingest_all(folder).quarantined == 1
    with StoreReader(folder) as reader:
        assert [json.loads(data)["ms"] for _, _, data in reader.events("decision")] == ["NaN", "soon"]
    assert verify(folder) == []


def test_a_metric_keeps_its_source_or_has_none(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "metric", "name": "m", "value": 1, "source": "wandb"})
    worker.add({"type": "metric", "name": "m", "value": 2})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert [row.source for row in reader.metrics()] == ["wandb", None]


def test_the_environment_that_a_config_names_is_one_of_the_runs_environments(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "config", "env_id": "Walker-v0"}, {"type": "config", "env_id": "Walker-v0"})
    worker.add({"type": "config", "algo": "ppo"}, {"type": "config", "env_id": ""})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert reader.summary().env_ids == ["Walker-v0"]
    assert verify(folder) == []
