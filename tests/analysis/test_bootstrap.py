"""Stratified bootstrap intervals against a plain-Python bootstrap and known truths."""

import random
import statistics
from typing import Any

import numpy as np
import pytest

from mosaic.analysis import bootstrap, scores
from mosaic.errors import UsageError


def _plain_interval(matrix: list[list[float]], resamples: int) -> tuple[float, float]:
    """The mean's interval as one would write it without numpy: runs drawn within each task."""
    dice = random.Random(7)
    tasks = [[row[task] for row in matrix] for task in range(len(matrix[0]))]
    found = sorted(
        statistics.mean(value for task in tasks for value in dice.choices(task, k=len(task)))
        for _ in range(resamples)
    )
    return found[round(0.025 * resamples)], found[round(0.975 * resamples)]


def test_an_interval_agrees_with_a_bootstrap_in_plain_python() -> None:
    # The second task lies far off: were cells drawn across tasks, the interval would be many times as wide.
    matrix = np.random.default_rng(3).normal([0.0, 100.0], [1.0, 3.0], (12, 2))
    found = scores.mean(matrix)
    assert found.interval is not None
    low, high = _plain_interval(matrix.tolist(), 20_000)
    assert found.interval.low == pytest.approx(low, abs=0.03)
    assert found.interval.high == pytest.approx(high, abs=0.03)


def test_the_interval_of_a_mean_holds_the_truth_about_as_often_as_it_says() -> None:
    dice = np.random.default_rng(11)
    held = 0
    for _ in range(600):
        interval = scores.mean(dice.normal(2.0, 1.0, 40), resamples=800).interval
        assert interval is not None
        held += interval.low <= 2.0 <= interval.high
    assert 0.92 <= held / 600 <= 0.97


def test_the_same_scores_give_the_same_interval_and_another_seed_another() -> None:
    values = [1.0, 4.0, 2.0, 8.0, 5.0]
    assert scores.iqm(values) == scores.iqm(values)
    other = scores.iqm(values, seed=1)
    assert other.seed == 1
    assert other.value == scores.iqm(values).value
    assert other.interval != scores.iqm(values, resamples=500).interval


def test_memory_is_bounded_and_blocks_join(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = scores.mean(np.arange(8.0), resamples=999)
    monkeypatch.setattr(bootstrap, "_CELLS_AT_ONCE", 80)
    in_blocks = scores.mean(np.arange(8.0), resamples=999)
    assert in_blocks.resamples == 999
    assert whole.interval is not None
    assert in_blocks.interval is not None
    assert in_blocks.interval.low == pytest.approx(whole.interval.low, abs=0.2)


def test_one_run_has_no_interval() -> None:
    found = scores.mean([[1.0, 3.0]])
    assert (found.value, found.interval, found.runs, found.tasks, found.resamples) == (2.0, None, 1, 2, 0)


@pytest.mark.parametrize("given", [[], [[]], 3.0, [[[1.0]]]])
def test_what_is_not_runs_by_tasks_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match="runs x tasks"):
        scores.mean(given)


def test_a_score_that_is_not_finite_is_named() -> None:
    with pytest.raises(UsageError, match="run 1 in task 2 is nan"):
        scores.mean([[1.0, 2.0, 3.0], [1.0, 2.0, float("nan")]])
