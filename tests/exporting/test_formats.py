"""CSV, JSON lines and Parquet, read back by other libraries."""

from __future__ import annotations

import csv
import json
import math
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from mosaic.errors import UsageError
from mosaic.exporting.formats import export
from tests.exporting.conftest import ARRAY

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.store.reader import StoreReader


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
    steps = pq.read_table(tmp_path / "steps.parquet").to_pylist()
    assert math.isnan(steps[2]["reward"])
    assert (steps[0]["obs"], steps[0]["turn"]) == ('[0.5,"NaN"]', None)
    first = pq.read_table(tmp_path / "episodes.parquet").to_pylist()[0]
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
