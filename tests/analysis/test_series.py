"""Curves: they grow, they are cut down to what a screen shows, and NaN stays a gap."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mosaic.analysis.series import Curve, Growing, at, draw, marks, prepare, thinned
from mosaic.analysis.smoothing import Smoother, Smoothing


def curve(values: list[float], *, x: list[float] | None = None, how: Smoothing | None = None) -> Curve:
    places = np.arange(float(len(values))) if x is None else np.array(x, np.float64)
    return prepare(places, np.array(values, np.float64), smoother=Smoother(how or Smoothing()))


def test_views_of_growing_columns_never_change() -> None:
    grown = Growing(2)
    grown.append(np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    seen = grown.column(0)
    grown.append(np.arange(5000.0), np.arange(5000.0))
    assert seen.tolist() == [1.0, 2.0]
    assert len(grown) == 5002
    assert grown.column(1)[:3].tolist() == [10.0, 20.0, 0.0]


def test_points_come_sorted_and_those_without_a_place_are_counted() -> None:
    found = curve([1.0, 2.0, 3.0], x=[5.0, math.nan, 4.0])
    assert found.x.tolist() == [4.0, 5.0]
    assert found.y.tolist() == [3.0, 1.0]
    assert found.nowhere == 1


def test_few_points_are_drawn_as_they_are() -> None:
    drawn = draw(curve([1.0, 2.0, 3.0]), low=0, high=2, pixels=100, smooth=False)
    assert drawn.x.tolist() == [0.0, 1.0, 2.0]
    assert drawn.y.tolist() == [1.0, 2.0, 3.0]


def test_only_what_is_in_view_is_drawn_with_a_neighbour_on_either_side() -> None:
    drawn = draw(curve([float(n) for n in range(100)]), low=50, high=60, pixels=100, smooth=False)
    assert (drawn.x[0], drawn.x[-1]) == (49.0, 61.0)


def test_nan_and_infinity_are_gaps_and_never_numbers() -> None:
    drawn = draw(curve([1.0, math.nan, 3.0, math.inf, 5.0]), low=0, high=4, pixels=100, smooth=False)
    assert [math.isnan(y) for y in drawn.y] == [False, True, False, True, False]


@given(st.integers(5_000, 30_000), st.integers(0, 2**32 - 1))
@example(29_879, 0)  # its last point falls out of the last bin
@settings(max_examples=25, deadline=None)
def test_a_long_curve_keeps_its_extremes_and_its_ends(count: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=count)
    drawn = draw(curve(values.tolist()), low=0, high=count, pixels=200, smooth=False)
    assert len(drawn.x) <= 4 * 200 + 2
    assert np.nanmin(drawn.y) == values.min()
    assert np.nanmax(drawn.y) == values.max()
    assert (np.diff(drawn.x) >= 0).all()
    assert (drawn.x[0], drawn.x[-1]) == (0.0, count - 1.0)


def test_a_gap_that_can_be_seen_breaks_a_long_curve_too() -> None:
    values = np.sin(np.arange(50_000) / 100)
    values[20_000:25_000] = math.nan
    drawn = draw(curve(values.tolist()), low=0, high=50_000, pixels=300, smooth=False)
    breaks = drawn.x[np.isnan(drawn.y)]
    assert len(breaks) == 1
    assert 20_000 <= breaks[0] < 25_000
    inside = (drawn.x > 20_000) & (drawn.x < 25_000) & np.isfinite(drawn.y)
    assert not inside.any()


def test_a_curve_of_nothing_but_nan_draws_nothing() -> None:
    drawn = draw(curve([math.nan] * 20_000), low=0, high=20_000, pixels=100, smooth=False)
    assert not np.isfinite(drawn.y).any()


def test_on_a_log_scale_what_is_not_positive_is_a_gap() -> None:
    drawn = draw(curve([100.0, 0.0, -5.0, 10.0]), low=0, high=3, pixels=50, smooth=False, log=True)
    assert drawn.y.tolist() == pytest.approx([2.0, math.nan, math.nan, 1.0], nan_ok=True)


def test_every_kind_of_no_number_is_marked_once_a_pixel() -> None:
    values = [1.0] * 1000
    values[10:20] = [math.nan] * 10
    values[500], values[700] = math.inf, -math.inf
    found = marks(curve(values), low=0, high=1000, pixels=100)
    assert sorted(found) == [(10.0, "nan"), (500.0, "+inf"), (700.0, "-inf")]


def test_marks_out_of_view_are_not_told() -> None:
    assert marks(curve([math.nan, 1.0, 1.0]), low=1, high=2, pixels=10) == []


def test_the_crosshair_reads_the_nearest_value_as_it_was_logged() -> None:
    found = curve([1.0, math.inf, 3.0], how=Smoothing(kind="window", window=2))
    assert at(found, 0.4) == (0.0, 1.0, 1.0)
    assert at(found, 99.0) == (2.0, 3.0, 2.0)
    near = at(found, 1.1)
    assert near is not None
    assert near[1] == math.inf
    assert math.isnan(near[2])
    assert at(curve([]), 1.0) is None


def test_thinning_keeps_the_newer_half_the_extremes_and_what_is_no_number() -> None:
    values = np.random.default_rng(1).normal(size=10_000)
    values[777] = math.nan
    values[1234] = 99.0
    x, kept = thinned([np.arange(10_000.0), values], 1, keep=1000)
    assert len(kept) <= 1000 + 1
    assert x[-500:].tolist() == np.arange(9_500.0, 10_000.0).tolist()
    assert 99.0 in kept
    assert 777.0 in x
    assert (np.diff(x) > 0).all()
