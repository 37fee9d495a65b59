"""Means, medians, IQM, probability of improvement and paired differences, against other implementations."""

import itertools
import random
import statistics

import numpy as np
import pytest

from mosaic.analysis import scores
from mosaic.analysis.scores import Unpaired
from mosaic.errors import UsageError


def _wide() -> tuple[np.ndarray, np.ndarray]:
    """The data whose figures by rliable 1.2.0 are stored below: 10 runs x 20 tasks, twice."""
    dice = np.random.default_rng(0)
    return dice.normal(0.5, 0.2, (10, 20)).clip(0, 1.5), dice.normal(0.45, 0.2, (10, 20)).clip(0, 1.5)


def _small() -> tuple[np.ndarray, np.ndarray]:
    """10 runs x 5 tasks, twice; rliable gave .708 [.683, .738] for the first, and .76."""
    dice = np.random.default_rng(0)
    first, _, second = (dice.normal(m, s, (10, 5)) for m, s in ((0.7, 0.1), (0.3, 0.1), (0.55, 0.2)))
    return first, second


def test_the_iqm_is_that_of_rliable() -> None:
    assert scores.iqm(_wide()[0]).value == pytest.approx(0.50590, abs=5e-6)
    found = scores.iqm(_small()[0])
    assert found.value == pytest.approx(0.708, abs=5e-4)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.683, abs=0.003)
    assert found.interval.high == pytest.approx(0.738, abs=0.003)


def test_the_probability_of_improvement_is_that_of_rliable() -> None:
    assert scores.probability_of_improvement(*_wide()).value == pytest.approx(0.6040)
    assert scores.probability_of_improvement(*_small()).value == pytest.approx(0.76)


@pytest.mark.parametrize("count", range(1, 30))
def test_the_iqm_is_the_mean_trimmed_by_a_quarter_at_both_ends(count: int) -> None:
    dice = random.Random(count)
    values = [dice.gauss(0, 1) for _ in range(count)]
    cut = int(0.25 * count)
    middle = sorted(values)[cut : count - cut]
    assert scores.iqm(values).value == pytest.approx(statistics.mean(middle))


def test_the_three_middles_of_a_skewed_sample_differ_as_they_should() -> None:
    found = scores.summary([0, 1, 2, 3, 4, 5, 6, 100])
    assert found.mean.value == pytest.approx(15.125)
    assert found.median.value == pytest.approx(3.5)
    assert found.iqm.value == pytest.approx(3.5)
    assert found.mean.runs == 8
    assert found.iqm.interval is not None
    assert found.mean.interval is not None
    assert found.iqm.interval.high < found.mean.interval.high


def test_the_median_is_over_all_cells_with_an_interval_of_order_statistics() -> None:
    values = np.random.default_rng(2).normal(0, 1, 99)
    found = scores.median(values)
    assert found.value == statistics.median(values.tolist())
    ordered = np.sort(values)  # the binomial interval of a median: ranks 40 and 60 of 99
    assert found.interval is not None
    assert ordered[36] <= found.interval.low <= ordered[43]
    assert ordered[55] <= found.interval.high <= ordered[62]


def test_equal_scores_count_half() -> None:
    found = scores.probability_of_improvement([1, 1, 2], [1, 2])
    pairs = list(itertools.product([1, 1, 2], [1, 2]))
    assert found.value == sum((a > b) + 0.5 * (a == b) for a, b in pairs) / len(pairs)
    assert (found.runs, found.tasks) == (2, 1)


def test_the_interval_of_an_improvement_agrees_with_a_bootstrap_in_plain_python() -> None:
    dice = np.random.default_rng(5)
    first, second = dice.normal(0.5, 1, 12), dice.normal(0, 1, 9)
    found = scores.probability_of_improvement(first, second)
    plain = random.Random(1)
    drawn = []
    for _ in range(4000):
        one, other = plain.choices(first.tolist(), k=12), plain.choices(second.tolist(), k=9)
        drawn.append(statistics.mean(a > b for a in one for b in other))
    drawn.sort()
    assert found.interval is not None
    assert found.interval.low == pytest.approx(drawn[100], abs=0.02)
    assert found.interval.high == pytest.approx(drawn[3900], abs=0.02)


def test_different_numbers_of_tasks_are_refused() -> None:
    with pytest.raises(UsageError, match="scores of 2 tasks, the second of 3"):
        scores.probability_of_improvement(np.zeros((2, 2)), np.zeros((2, 3)))


def test_pairing_is_much_sharper_than_two_intervals_where_seeds_are_hard_alike() -> None:
    dice = np.random.default_rng(4)
    hard = dice.normal(0, 10, 20)
    first = dict(enumerate((hard + 1 + dice.normal(0, 0.3, 20)).tolist()))
    second = dict(enumerate(hard.tolist()))
    found = scores.paired(first, second)
    assert found.mean is not None
    assert found.mean.interval is not None
    assert 0 < found.mean.interval.low < 1 < found.mean.interval.high + 0.2
    alone = scores.mean(list(first.values())).interval
    assert alone is not None
    assert found.mean.interval.high - found.mean.interval.low < (alone.high - alone.low) / 10


def test_the_paired_interval_holds_the_true_difference_about_as_often_as_it_says() -> None:
    dice = np.random.default_rng(8)
    held = 0
    for _ in range(500):
        hard = dice.normal(0, 5, 30)
        first = dict(enumerate((hard + dice.normal(0.5, 1, 30)).tolist()))
        found = scores.paired(first, dict(enumerate(hard.tolist())), resamples=600)
        assert found.mean is not None
        assert found.mean.interval is not None
        held += found.mean.interval.low <= 0.5 <= found.mean.interval.high
    assert 0.91 <= held / 500 <= 0.97


def test_seeds_that_cannot_be_compared_are_named_and_enter_no_figure() -> None:
    first = {1: 3.0, 2: 1.0, 3: None, 4: 7.0, 5: 2.0, 6: None}
    second = {1: 1.0, 2: 1.0, 3: 5.0, 5: 4.0, 6: float("nan"), 9: 1.0}
    found = scores.paired(first, second)
    assert found.seeds == (1, 2, 5)
    assert found.differences == (2.0, 0.0, -2.0)
    assert (found.wins, found.ties, found.losses) == (1, 1, 1)
    assert found.mean is not None
    assert (found.mean.value, found.mean.runs) == (0.0, 3)
    assert found.unpaired == (
        Unpaired(seed=3, why="the first failed"),
        Unpaired(seed=4, why="the second was not run with it"),
        Unpaired(seed=6, why="the first failed; the second scored nan"),
        Unpaired(seed=9, why="the first was not run with it"),
    )


def test_without_a_shared_seed_there_is_no_figure() -> None:
    found = scores.paired({1: 1.0}, {2: 1.0})
    assert (found.mean, found.iqm, found.seeds) == (None, None, ())
    assert len(found.unpaired) == 2
