"""`mosaic export`, read back by other programs."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.exporting.conftest import parquet_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Said

pytestmark = pytest.mark.usefixtures("recorded")


def test_csv_has_a_file_per_table(mosaic: Callable[..., Said], tmp_path: Path) -> None:
    said = mosaic("export", "last", "--format", "csv", "-o", str(tmp_path / "out"))
    assert said.code == 0, said.err
    assert [line.rsplit("/", 1)[1] for line in said.out.splitlines()] == [
        "episodes.csv",
        "steps.csv",
        "metrics.csv",
    ]
    with (tmp_path / "out" / "episodes.csv").open(newline="") as file:
        assert [row["return"] for row in csv.DictReader(file)] == ["0.0", "4.0", "8.0"]
    with (tmp_path / "out" / "steps.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert (rows[5]["episode_id"], rows[5]["step"], rows[5]["obs"], rows[5]["terminated"]) == (
        "e1",
        "1",
        "[1,1]",
        "false",
    )
    with (tmp_path / "out" / "metrics.csv").open(newline="") as file:
        assert [row["value"] for row in csv.DictReader(file)] == ["0.5", "NaN", "-Infinity"]


def test_jsonl_of_one_table_is_one_file(mosaic: Callable[..., Said], tmp_path: Path) -> None:
    target = tmp_path / "m.jsonl"
    assert mosaic("export", "last", "--format", "jsonl", "--table", "metrics", "-o", str(target)).code == 0
    rows = [json.loads(line, parse_constant=pytest.fail) for line in target.read_text().splitlines()]
    assert [row["value"] for row in rows] == [0.5, "NaN", "-Infinity"]


def test_nothing_is_overwritten_unless_asked(mosaic: Callable[..., Said], tmp_path: Path) -> None:
    target = tmp_path / "e.csv"
    target.write_text("mine")
    said = mosaic("export", "last", "--format", "csv", "-o", str(target))
    assert said.code == 2
    assert "--force" in said.err
    assert target.read_text() == "mine"
    assert mosaic("export", "last", "--format", "csv", "-o", str(target), "--force").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["e.csv"]


def test_parquet_has_typed_columns(mosaic: Callable[..., Said], tmp_path: Path) -> None:
    assert mosaic("export", "last", "--format", "parquet", "-o", str(tmp_path)).code == 0
    steps = parquet_rows(tmp_path / "steps.parquet")
    assert [(row["index"], row["step"], row["reward"], row["action"]) for row in steps[:5]] == [
        (0, 0, 0.0, "0"), (0, 1, 0.0, "1"), (0, 2, 0.0, "0"), (0, 3, 0.0, "1"), (1, 0, 1.0, "0"),
    ]  # fmt: skip


def test_parquet_without_pyarrow_names_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None; from mosaic.cli.main import main; "
        f"main(['export', 'last', '--format', 'parquet', '-o', {str(tmp_path)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'pip install "mosaic-workbench[parquet]"' in done.stderr


def test_tensorboard_reads_what_we_write(mosaic: Callable[..., Said], tmp_path: Path) -> None:
    folder = tmp_path / "tb"
    assert mosaic("export", "last", "--format", "tensorboard", "-o", str(folder)).code == 0
    events = EventAccumulator(str(folder)).Reload()
    assert set(events.Tags()["scalars"]) == {"episode/return", "episode/length", "losses/td"}
    assert [(event.step, event.value) for event in events.Scalars("episode/return")] == [
        (0, 0.0),
        (1, 4.0),
        (2, 8.0),
    ]
    assert events.Scalars("losses/td")[0].wall_time == 200.0
    assert mosaic("export", "last", "--format", "tensorboard", "-o", str(folder)).code == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["last", "--format", "csv", "--dataset", "a-v0"], "--dataset is for --format minari"),
        (["last", "--format", "csv", "-e", "1"], "--episode is for --format minari"),
        (["last", "last", "--format", "jsonl"], "--format jsonl takes one RUN"),
        (["last", "--format", "minari", "--table", "steps"], "--table is for csv"),
        (["last", "--format", "minari", "--dataset", "../x"], "'../x' is not a dataset id"),
        (["last", "--format", "minari", "--python", "/nowhere"], "names /nowhere, which is not a program"),
        (["last", "--format", "minari", "--python", sys.executable], "cannot write Minari datasets"),
    ],
)
def test_words_that_do_not_go_together_are_refused(
    mosaic: Callable[..., Said], tmp_path: Path, words: list[str], why: str
) -> None:
    said = mosaic("export", *words, "-o", str(tmp_path / "out"))
    assert said.code == 2
    assert why in " ".join(said.err.split())
    assert list(tmp_path.glob("out*")) == []
