"""Small curves: thinned, cached, bounded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mosaic.paths import DataRoot, RunFolder
from mosaic.ui.runs.sparklines import Sparklines, read, thin
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from pathlib import Path


def test_few_points_stay_as_they_are_and_many_become_means() -> None:
    assert thin(np.array([1.0, 2.0])) == [1.0, 2.0]
    assert thin(np.arange(8.0), most=4) == [0.5, 2.5, 4.5, 6.5]
    assert len(thin(np.arange(100_003.0))) == 48


def test_a_stretch_without_a_number_is_a_gap_not_a_zero() -> None:
    points = thin(np.array([1.0, 3.0, math.nan, math.inf, 5.0, math.nan]), most=3)
    assert points[0] == 2.0
    assert math.isnan(points[1])
    assert points[2] == 5.0


def test_a_curve_is_known_as_it_was_last_read() -> None:
    sparks = Sparklines()
    assert sparks.look("a") == []
    sparks.put("a", [1.0, 2.0])
    sparks.put("b", [3.0])
    sparks.put("a", [1.0, 2.0, 4.0])
    assert (sparks.look("a"), sparks.look("b")) == ([1.0, 2.0, 4.0], [3.0])


def test_only_so_many_are_remembered_and_those_not_looked_at_go_first() -> None:
    sparks = Sparklines(keep=3)
    for name in "abc":
        sparks.put(name, [1.0])
    sparks.look("a")
    sparks.put("d", [1.0])
    assert [name for name in "abcd" if sparks.look(name)] == ["a", "c", "d"]


def test_a_run_without_a_store_has_no_curve(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert read(folder) == []
    folder.store.write_bytes(b"this is no database at all, and long enough to be looked at" * 40)
    assert read(folder) == []


def test_a_curve_is_of_the_episodes_that_count(home: Path) -> None:
    run = Stored(DataRoot(home))
    run.episodes([1.0, 2.0], role="train")
    run.episodes([90.0], role="eval")
    run.episodes([70.0], outcome="cut")
    run.episodes([0.0], length=0)
    run.commit()
    assert read(run.folder) == [1.0, 2.0]
