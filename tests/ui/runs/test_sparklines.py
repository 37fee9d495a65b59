"""Small curves: thinned, cached, bounded, read one at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mosaic.paths import RunFolder
from mosaic.ui.runs.sparklines import Sparklines, read, thin
from tests.ui.rows import row, run_id

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


def test_a_curve_is_read_again_only_when_it_grew_and_a_while_has_passed() -> None:
    now = [0.0]
    sparks = Sparklines(pause_secs=2, clock=lambda: now[0])
    assert sparks.look(row(1, episodes=1)) == []
    assert sparks.next() is None
    sparks.look(row(1, episodes=5))
    assert sparks.next() == run_id(1)
    sparks.look(row(2, episodes=5))
    assert sparks.next() is None, "one at a time"
    assert sparks.put([1.0, 2.0]) == run_id(1)
    assert sparks.look(row(1, episodes=5)) == [1.0, 2.0]
    assert sparks.next() == run_id(2)
    sparks.put([])
    sparks.look(row(1, episodes=6))
    assert sparks.next() is None, "too soon"
    now[0] = 2.0
    sparks.look(row(1, episodes=6))
    assert sparks.next() == run_id(1)


def test_only_so_many_are_remembered() -> None:
    sparks = Sparklines(keep=3)
    for number in range(10):
        sparks.look(row(number, episodes=5))
        assert sparks.next() == run_id(number)
        sparks.put([1.0])
    assert sparks.look(row(0, episodes=5)) == []
    assert sparks.look(row(9, episodes=5)) == [1.0]
    for number in range(100, 110):
        sparks.look(row(number, episodes=5))
    assert len(sparks._wanted) == 3


def test_a_run_without_a_store_has_no_curve(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert read(folder) == []
    folder.store.write_bytes(b"this is no database at all, and long enough to be looked at" * 40)
    assert read(folder) == []
