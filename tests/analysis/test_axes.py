"""Where values lie: each axis, times that were not recorded, clocks that went back."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mosaic.analysis.axes import (
    AXES,
    Axis,
    EpisodeColumns,
    MetricColumns,
    as_ended,
    count_at,
    episodes_x,
    metric_x,
    since,
)

NAN = math.nan
EPISODES = EpisodeColumns(
    t_end=np.array([110.0, 120.0, 132.0]),
    steps_so_far=np.array([10.0, 20.0, 30.0]),
    episodes_so_far=np.array([1.0, 2.0, 3.0]),
)
METRIC = MetricColumns(t=np.array([121.0, 122.0]), step=np.array([100.0, NAN]), number=np.array([1.0, 2.0]))


@pytest.mark.parametrize(
    ("axis", "episodes", "values"),
    [
        ("steps", [10.0, 20.0, 30.0], [100.0, 20.0]),
        ("episodes", [1.0, 2.0, 3.0], [2.0, 2.0]),
        ("time", [10.0, 20.0, 32.0], [21.0, 22.0]),
        ("updates", [0.0, 0.0, 2.0], [1.0, 2.0]),
    ],
)
def test_every_axis_has_a_value_for_episodes_and_metrics(
    axis: Axis, episodes: list[float], values: list[float]
) -> None:
    assert axis in AXES
    found = episodes_x(axis, EPISODES, t_first=100.0, updates_t=METRIC.t)
    assert found.tolist() == episodes
    found = metric_x(axis, METRIC, EPISODES, t_first=100.0)
    assert found.tolist() == values


def test_without_updates_no_episode_lies_on_their_axis() -> None:
    assert np.isnan(episodes_x("updates", EPISODES, t_first=100.0, updates_t=None)).tolist() == [True] * 3


def test_what_has_no_time_lies_nowhere_in_time() -> None:
    found = since(np.array([0.0, 110.0, -1.0]), 100.0)
    assert found.tolist() == pytest.approx([NAN, 10.0, NAN], nan_ok=True)
    untimed = EpisodeColumns(np.array([0.0, 120.0]), np.array([10.0, 20.0]), np.array([1.0, 2.0]))
    assert np.isnan(episodes_x("time", untimed, t_first=100.0, updates_t=None)).tolist() == [True, False]


def test_a_count_is_what_it_had_grown_to_by_then() -> None:
    ticks = np.array([1.0, 2.0, 4.0])
    found = count_at(np.array([0.5, 1.0, 3.0, 9.0, 0.0]), ticks)
    assert found.tolist() == pytest.approx([0.0, 1.0, 2.0, 3.0, NAN], nan_ok=True)
    assert count_at(np.array([3.0]), ticks, np.array([7.0, 9.0, 11.0])).tolist() == [9.0]


def test_a_clock_that_went_back_does_not_take_a_count_back() -> None:
    assert count_at(np.array([3.0, 5.0]), np.array([4.0, 1.0, 2.0, 6.0])).tolist() == [0.0, 3.0]


def test_ticks_without_times_tell_nothing() -> None:
    assert np.isnan(count_at(np.array([5.0]), np.array([0.0, 4.0]))).all()
    assert np.isnan(count_at(np.array([5.0]), np.empty(0))).all()


@pytest.mark.parametrize(
    ("index", "t_end", "order", "steps_so_far"),
    [
        ([3, 5, 8], [10.0, 20.0, 30.0], [0, 1, 2], [1.0, 3.0, 7.0]),
        ([5, 3, 8], [30.0, 10.0, 20.0], [1, 2, 0], [2.0, 6.0, 7.0]),
        ([5, 3, 8], [20.0, 20.0, 10.0], [2, 1, 0], [4.0, 6.0, 7.0]),
        ([5, 3, 8], [0.0, 0.0, 0.0], [1, 0, 2], [2.0, 3.0, 7.0]),
    ],
)
def test_steps_are_added_up_in_the_order_in_which_episodes_ended_and_else_by_index(
    index: list[int], t_end: list[float], order: list[int], steps_so_far: list[float]
) -> None:
    found, ended = as_ended(np.array(index), np.array(t_end), np.array([1, 2, 4]))
    assert np.arange(3)[found].tolist() == order
    assert ended.steps_so_far.tolist() == steps_so_far
    assert ended.t_end.tolist() == sorted(t_end)


def test_what_does_not_measure_progress_lies_where_the_others_were() -> None:
    """An evaluation after the second training episode: 20 steps, two episodes."""
    t_end, steps = np.array([1.0, 2.0, 3.0, 4.0]), np.array([10, 10, 500, 10])
    _, ended = as_ended(np.arange(4), t_end, steps, np.array([True, True, False, True]))
    assert ended.steps_so_far.tolist() == [10.0, 20.0, 20.0, 30.0]
    assert ended.episodes_so_far.tolist() == [1.0, 2.0, 2.0, 3.0]
    assert ended.of(np.array([False, False, True, False])).steps_so_far.tolist() == [20.0]
