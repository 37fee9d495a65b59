"""What scores say: mean, median and IQM, who is likely better, and paired differences by seed. Pure.

Every figure carries its interval, its N and the seed of its bootstrap (`bootstrap.Figure`). A seed that only
one of two has, or that failed for one, is named in the result and enters no figure. Percentile intervals of
few runs are too narrow: with five of them a 95 % interval of a mean holds the truth about 84 times in 100.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mosaic.analysis.bootstrap import RESAMPLES, SEED, Figure, as_matrix, figure, interval_of
from mosaic.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from mosaic.analysis.bootstrap import Floats

__all__ = [
    "Paired", "Summary", "Unpaired", "iqm", "mean", "median", "paired", "probability_of_improvement",
    "summary",
]  # fmt: skip

_WEIGHTS_AT_ONCE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The three middles of one contestant's scores."""

    mean: Figure
    median: Figure
    iqm: Figure


@dataclass(frozen=True, kw_only=True)
class Unpaired:
    """A seed that could not be compared, and why."""

    seed: int
    why: str


@dataclass(frozen=True, kw_only=True)
class Paired:
    """First minus second, seed by seed.

    Args:
        seeds: The seeds both have a score for, in order.
        differences: First minus second, for each of them.
        mean: Of the differences; None where no seed is shared.
        iqm: Of the differences; None where no seed is shared.
        wins: For how many seeds the first scored more.
        losses: For how many it scored less.
        ties: For how many both scored exactly the same.
        unpaired: The seeds left out, each with its reason.
    """

    seeds: tuple[int, ...]
    differences: tuple[float, ...]
    mean: Figure | None
    iqm: Figure | None
    wins: int
    losses: int
    ties: int
    unpaired: tuple[Unpaired, ...]


# -- one contestant -------------------------------------------------------------------------------------


def mean(scores: npt.ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED) -> Figure:
    """The mean of all cells of runs x tasks."""
    return figure(as_matrix(scores), _means, resamples=resamples, seed=seed)


def median(scores: npt.ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED) -> Figure:
    """The median of all cells of runs x tasks."""
    return figure(as_matrix(scores), _medians, resamples=resamples, seed=seed)


def iqm(scores: npt.ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED) -> Figure:
    """The interquartile mean: of all cells, without the lowest and the highest quarter (rounded down)."""
    return figure(as_matrix(scores), _iqms, resamples=resamples, seed=seed)


def summary(scores: npt.ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED) -> Summary:
    """All three. Scores are runs x tasks, or the runs of one task.

    Raises:
        UsageError: there are none, or one is not finite.
    """
    return Summary(
        mean=mean(scores, resamples=resamples, seed=seed),
        median=median(scores, resamples=resamples, seed=seed),
        iqm=iqm(scores, resamples=resamples, seed=seed),
    )


def _means(rows: Floats) -> Floats:
    found: Floats = rows.mean(axis=1)
    return found


def _medians(rows: Floats) -> Floats:
    found: Floats = np.median(rows, axis=1, overwrite_input=True)
    return found


def _iqms(rows: Floats) -> Floats:
    cells = rows.shape[1]
    cut = cells // 4
    if cut:  # a partition is enough: what lies between the two places needs no order
        rows.partition([cut, cells - cut - 1], axis=1)
    found: Floats = rows[:, cut : cells - cut].mean(axis=1)
    return found


# -- two of them ----------------------------------------------------------------------------------------


def probability_of_improvement(
    first: npt.ArrayLike, second: npt.ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED
) -> Figure:
    """How likely a run of the first scores more than one of the second, in a task drawn at random.

    Equal scores count half. The two may have different numbers of runs; `runs` is the smaller one.

    Raises:
        UsageError: their tasks differ in number, or a score is not finite.
    """
    one, other = as_matrix(first), as_matrix(second)
    if one.shape[1] != other.shape[1]:
        raise UsageError(f"the first has scores of {one.shape[1]} tasks, the second of {other.shape[1]}")
    better = (np.sign(one[:, None, :] - other[None, :, :]) + 1) / 2  # runs x runs x tasks
    value, runs, tasks = float(better.mean()), min(len(one), len(other)), one.shape[1]
    if runs < 2:
        return Figure(value=value, interval=None, runs=runs, tasks=tasks, resamples=0, seed=seed)
    drawn = _improvements(better, resamples, np.random.default_rng(seed))
    return Figure(
        value=value, interval=interval_of(drawn), runs=runs, tasks=tasks, resamples=resamples, seed=seed
    )


def _improvements(better: Floats, resamples: int, dice: np.random.Generator) -> Floats:
    """The probability for resampled runs of both sides: how often each was drawn is its weight."""
    ones, others, tasks = better.shape
    at_once = max(1, _WEIGHTS_AT_ONCE // (tasks * (ones + others)))
    by_task = np.ascontiguousarray(better.transpose(2, 0, 1))
    parts = []
    for start in range(0, resamples, at_once):
        count = min(at_once, resamples - start)
        one = dice.multinomial(ones, np.full(ones, 1 / ones), (tasks, count)).astype(np.float64)
        other = dice.multinomial(others, np.full(others, 1 / others), (tasks, count)).astype(np.float64)
        parts.append(((one @ by_task) * other).sum(axis=(0, 2)) / (ones * others * tasks))
    return np.concatenate(parts)


def paired(
    first: Mapping[int, float | None],
    second: Mapping[int, float | None],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Paired:
    """Compare two by the seeds they share; the interval comes from drawing seeds again.

    Args:
        first: The score of each seed; None, or what is not finite, for one that failed.
        second: The same of the other.
        resamples: How many times the seeds are drawn again.
        seed: Of the bootstrap's generator.
    """
    shared, left = [], []
    for one in sorted({*first, *second}):
        why = _why_unpaired(first, second, one)
        if why:
            left.append(Unpaired(seed=one, why=why))
        else:
            shared.append(one)
    gaps = [float(first[one] or 0.0) - float(second[one] or 0.0) for one in shared]
    return Paired(
        seeds=tuple(shared),
        differences=tuple(gaps),
        mean=mean(gaps, resamples=resamples, seed=seed) if gaps else None,
        iqm=iqm(gaps, resamples=resamples, seed=seed) if gaps else None,
        wins=sum(gap > 0 for gap in gaps),
        losses=sum(gap < 0 for gap in gaps),
        ties=sum(gap == 0 for gap in gaps),
        unpaired=tuple(left),
    )


def _why_unpaired(first: Mapping[int, float | None], second: Mapping[int, float | None], seed: int) -> str:
    """Why a seed cannot be compared, in words; empty when it can."""
    found = []
    for name, scores in (("the first", first), ("the second", second)):
        if seed not in scores:
            found.append(f"{name} was not run with it")
        elif (score := scores[seed]) is None:
            found.append(f"{name} failed")
        elif not math.isfinite(score):
            found.append(f"{name} scored {score}")
    return "; ".join(found)
