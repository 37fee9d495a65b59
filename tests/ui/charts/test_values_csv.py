"""CSV of the charts: every value of the store, spelled exactly."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from mosaic.paths import DataRoot
from mosaic.ui.charts.loading import ChartLoader
from mosaic.ui.charts.model import Asked
from mosaic.ui.charts.values_csv import COLUMNS, write_csv
from tests.ui.stored import Stored


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_value_is_written_whatever_the_charts_draw(home: Path, tmp_path: Path) -> None:
    run = Stored(DataRoot(home), name='a "name", with a comma')
    run.episodes([0.1], length=4)
    run.episodes([math.nan], length=4, role="train", outcome="cut")
    run.metric("eval/mean_reward", [float(n) / 3 for n in range(5000)])
    run.commit()
    path = tmp_path / "out.csv"
    names = {run.run_id: 'a "name", with a comma'}
    count = write_csv(path, DataRoot(home), names=names, keys=("return", "eval_return"))
    rows = read(path)
    assert tuple(rows[0]) == COLUMNS
    assert count == len(rows) == 5002
    assert [(row["step"], row["episode"], row["value"]) for row in rows[:2]] == [
        ("4", "0", "0.1"),
        ("8", "1", "NaN"),
    ]
    assert [(row["outcome"], row["role"]) for row in rows[:3]] == [
        ("terminated", ""),
        ("cut", "train"),
        ("", ""),
    ]
    assert [float(row["value"]) for row in rows[2:]] == [float(n) / 3 for n in range(5000)]
    assert {row["logged_as"] for row in rows[2:]} == {"eval/mean_reward"}
    assert {row["run"] for row in rows} == {'a "name", with a comma'}


def test_a_file_that_cannot_be_written_leaves_nothing_behind(home: Path, tmp_path: Path) -> None:
    run = Stored(DataRoot(home))
    run.folder.store.write_bytes(b"no database" * 400)
    with pytest.raises(Exception, match="cannot read"):
        write_csv(tmp_path / "out.csv", DataRoot(home), names={run.run_id: "x"}, keys=("return",))
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_the_steps_so_far_are_those_of_the_drawn_curve_whatever_was_stored_first(
    home: Path, tmp_path: Path
) -> None:
    root = DataRoot(home)
    run = Stored(root)
    long, short, late = run.begin(), run.begin(), run.begin()
    for episode, steps, t in ((short, 3, 20.0), (long, 50, 40.0), (late, 7, 30.0)):
        run.event(
            type="episode", episode_id=episode, steps=steps, t=run.t + t, t_end=run.t + t, **{"return": t}
        )
    run.commit()
    path = tmp_path / "out.csv"
    write_csv(path, root, names={run.run_id: "x"}, keys=("return",))
    rows = [(row["episode"], row["step"], row["value"]) for row in read(path)]
    assert rows == [("0", "60", "40.0"), ("1", "3", "20.0"), ("2", "10", "30.0")]
    (drawn,) = ChartLoader(root).load(Asked(runs=(run.run_id,), keys=("return",)))
    curve = drawn.curves["return"]
    assert list(zip(curve.x, curve.y, strict=True)) == [(3.0, 20.0), (10.0, 30.0), (60.0, 40.0)]
