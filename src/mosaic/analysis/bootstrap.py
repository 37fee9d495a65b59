"""Bootstrap intervals: a score matrix is drawn again many times, and a statistic is taken each time. Pure.

Runs are drawn within each task (stratified), so that every task keeps its weight. The generator's seed is
fixed and stands in each result: the same scores give the same interval. Refuses scores that are not finite:
who leaves a failed run out must be able to name it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mosaic.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = ["LEVEL", "RESAMPLES", "SEED", "Figure", "Interval", "as_matrix", "figure", "interval_of"]

LEVEL: Final = 0.95
RESAMPLES: Final = 10_000
SEED: Final = 0

_CELLS_AT_ONCE: Final = (
    1 << 20
)  # 8 MiB of drawn scores: the memory a call takes does not grow with `resamples`


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Where a figure may lie: the middle `level` of what the resamples gave."""

    low: float
    high: float
    level: float = LEVEL


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One statistic, with what is needed to judge it and to compute it again.

    Args:
        value: The statistic of the scores themselves.
        interval: Its interval; None with fewer than two runs, which say nothing of their spread.
        runs: How many runs it rests on: in each task, or the pairs of a paired one.
        tasks: How many tasks.
        resamples: How many times the scores were drawn again; 0 without an interval.
        seed: What the bootstrap's generator was seeded with.
    """

    value: float
    interval: Interval | None
    runs: int
    tasks: int
    resamples: int
    seed: int


def as_matrix(scores: npt.ArrayLike) -> Floats:
    """Scores as runs x tasks; a plain sequence is one task.

    Raises:
        UsageError: there are none, or one is not finite; says which.
    """
    found = np.asarray(scores, dtype=np.float64)
    matrix = found[:, None] if found.ndim == 1 else found
    if matrix.ndim != 2 or not matrix.size:
        raise UsageError(f"scores are runs x tasks with at least one of each, got the shape {found.shape}")
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        run, task = bad[0].tolist()
        raise UsageError(
            f"the score of run {run} in task {task} is {matrix[run, task]}. "
            "Leave a failed run out by name, and say so."
        )
    return matrix


def figure(
    matrix: Floats, statistic: Callable[[Floats], Floats], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Figure:
    """A statistic of a score matrix with its stratified bootstrap interval.

    Args:
        matrix: Runs x tasks.
        statistic: Rows of cells in, one value for each row out. May change the rows it is given.
        resamples: How many times the scores are drawn again.
        seed: Of the generator.
    """
    runs, tasks = matrix.shape
    value = float(statistic(matrix.reshape(1, -1).copy())[0])
    if runs < 2:
        return Figure(value=value, interval=None, runs=runs, tasks=tasks, resamples=0, seed=seed)
    drawn = np.concatenate([statistic(block) for block in _drawn(matrix, resamples, seed)])
    return Figure(
        value=value, interval=interval_of(drawn), runs=runs, tasks=tasks, resamples=resamples, seed=seed
    )


def interval_of(drawn: Floats, *, level: float = LEVEL) -> Interval:
    """The middle `level` of drawn values."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(low=low, high=high, level=level)


def _drawn(matrix: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of resampled matrices, each matrix flat in a row."""
    runs, tasks = matrix.shape
    dice = np.random.default_rng(seed)
    at_once = max(1, _CELLS_AT_ONCE // matrix.size)
    for start in range(0, resamples, at_once):
        count = min(at_once, resamples - start)
        chosen = dice.integers(0, runs, (count, runs, tasks), dtype=np.int32)
        # Where the drawn cell lies in the flat matrix: run * tasks + task.
        chosen *= tasks
        chosen += np.arange(tasks, dtype=np.int32)
        yield matrix.ravel()[chosen.reshape(count, -1)]
