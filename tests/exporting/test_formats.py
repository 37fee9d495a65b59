"""CSV, JSON lines and Parquet, read back by other libraries."""

from __future__ import annotations

import csv
import json
import math
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import UsageError
from mosaic.exporting import tables
from mosaic.exporting.formats import export
from mosaic.store.reader import StoreReader
from tests.exporting.conftest import ARRAY, parquet_rows
from tests.store.journals import PRODUCER, Segments, ingest_all, make_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_csv_keeps_every_bit_and_every_character(reader: StoreReader, tmp_path: Path) -> None:
    assert [path.name for path in export(reader, "csv", tmp_path)] == [
        "episodes.csv",
        "steps.csv",
        "metrics.csv",
    ]
    with (tmp_path / "steps.csv").open(newline="") as file:
        steps = list(csv.DictReader(file))
    assert [row["reward"] for row in steps] == ["1.5", "-0.0", "NaN"]
    assert steps[0]["obs"] == '[0.5,"NaN"]'
    assert json.loads(steps[1]["action"]) == [0, {"x": None}]
    assert steps[2]["action"] == 'left,\n"up"'
    with (tmp_path / "metrics.csv").open(newline="") as file:
        assert [row["value"] for row in csv.DictReader(file)] == ["0.1", "NaN", "-Infinity", "1e+300"]


def test_jsonl_keeps_values_as_they_were_recorded(reader: StoreReader, tmp_path: Path) -> None:
    export(reader, "jsonl", tmp_path)
    lines = (tmp_path / "steps.jsonl").read_text().splitlines()
    steps = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    assert steps[0]["obs"] == ARRAY
    assert (steps[2]["reward"], steps[2]["action"]) == ("NaN", 'left,\n"up"')


def test_parquet_has_real_floats_and_json_for_the_rest(reader: StoreReader, tmp_path: Path) -> None:
    export(reader, "parquet", tmp_path)
    steps = parquet_rows(tmp_path / "steps.parquet")
    assert math.isnan(steps[2]["reward"])
    assert (steps[0]["obs"], steps[0]["turn"]) == ('[0.5,"NaN"]', None)
    first = parquet_rows(tmp_path / "episodes.parquet")[0]
    assert (first["episode_id"], first["seed"], first["return"]) == ("a", 7, 1.5)


def test_tensorboard_has_metrics_and_ended_episodes(reader: StoreReader, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    export(reader, "tensorboard", tmp_path)
    events = EventAccumulator(str(tmp_path)).Reload()
    assert [event.value for event in events.Scalars("episode/return")] == [1.5]
    losses = events.Scalars("loss")
    assert [event.step for event in losses] == [0, 1, 2, 3]
    assert math.isnan(losses[1].value)
    assert losses[3].value == math.inf


def test_a_path_with_the_formats_suffix_is_one_file(reader: StoreReader, tmp_path: Path) -> None:
    target = tmp_path / "sub" / "s.csv"
    assert export(reader, "csv", target, table="steps") == [target]
    assert target.read_text().startswith("episode_id,index,step,")


@pytest.mark.parametrize(("kind", "table"), [("xml", None), ("csv", "stpes")])
def test_an_unknown_format_or_table_is_refused(
    reader: StoreReader, tmp_path: Path, kind: str, table: str | None
) -> None:
    with pytest.raises(UsageError, match="There are:"):
        export(reader, kind, tmp_path, table=table)


def test_a_failed_export_leaves_no_file(
    reader: StoreReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mosaic.exporting.formats._cells", full)
    with pytest.raises(OSError, match="No space"):
        export(reader, "csv", tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


HUGE = 1 << 70


@pytest.fixture
def all_kinds(tmp_path: Path) -> Iterator[StoreReader]:
    """A run with an event of every kind, each with as much as it can say."""
    folder = make_run(tmp_path, "every")
    worker = Segments(folder, hello=False)
    worker.add(
        {"type": "hello", "protocol": 1, "producer": PRODUCER, "argv": ["a", "b"], "packages": {"x": "1"}},
        {"type": "config", "algo": "ppo", "seed": 3, "args": {"lr": 0.1}},
        {"type": "metric", "name": "loss", "value": 0.5, "step": 1},
        {"type": "checkpoint", "path": "p", "sha256": "aa"},
        {"type": "artifacts", "video": ["a.mp4"], "files": ["notes.txt"]},
        {"type": "decision", "episode_id": "e", "step": 0, "proposed": [1], "ms": 1.5, "data": {"n": HUGE}},
        {"type": "belief", "add": ["at(1)"], "del": [], "intentions": ["go"]},
        {"type": "log", "text": "x"},
        {"type": "bye", "events": 9, "hook_errors": {"gym": 1}},
    )
    worker.episode(0, 2)
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as opened:
        yield opened


@pytest.mark.parametrize("table", tables.TABLES)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_every_table_has_its_rows_in_every_format(
    all_kinds: StoreReader, tmp_path: Path, kind: str, table: str
) -> None:
    (path,) = export(all_kinds, kind, tmp_path / "out", table=table)
    if kind == "parquet":
        rows = parquet_rows(path)
    elif kind == "csv":
        rows = list(csv.DictReader(path.read_text().splitlines()))
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == (2 if table == "steps" else 1)
    assert list(rows[0]) == list(tables.COLUMNS[table])


def test_lists_are_json_in_parquet(all_kinds: StoreReader, tmp_path: Path) -> None:
    found: dict[str, object] = {}
    for table in ("hello", "artifacts", "decisions"):
        (path,) = export(all_kinds, "parquet", tmp_path, table=table)
        found |= parquet_rows(path)[0]
    assert (found["argv"], found["packages"], found["files"]) == ('["a","b"]', '{"x":"1"}', '["notes.txt"]')
    assert json.loads(str(found["data"])) == {"n": HUGE}


@pytest.mark.parametrize("event", [{"type": "config", "seed": HUGE}, {"type": "config", "seed": -HUGE}])
def test_an_integer_over_64_bits_is_told_with_the_way_out_that_works(
    tmp_path: Path, event: dict[str, object]
) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.add({"type": "config", "seed": 1}, event)
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        with pytest.raises(
            UsageError, match=r"'seed' of table 'config' holds -?1180591620717411303424.*jsonl"
        ):
            export(reader, "parquet", tmp_path / "out", table="config")
        assert list((tmp_path / "out").iterdir()) == []
        (path,) = export(reader, "jsonl", tmp_path / "out", table="config")
        assert [json.loads(line)["seed"] for line in path.read_text().splitlines()] == [1, event["seed"]]
