"""Where values lie on a horizontal axis: by environment steps, episodes, wall time or updates. Pure numpy.

A time that was not recorded is 0 in the store. Nothing is drawn by it: what has no time is NaN on these axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from mosaic.analysis.series import Bools, Floats, Ints

__all__ = [
    "AXES",
    "Axis",
    "EpisodeColumns",
    "MetricColumns",
    "as_ended",
    "count_at",
    "episodes_x",
    "metric_x",
    "since",
]

Axis = Literal["steps", "episodes", "time", "updates"]
AXES: dict[Axis, str] = {
    "steps": "env steps",
    "episodes": "episodes",
    "time": "wall time (s)",
    "updates": "updates",
}
"""The axes there are, and how each is titled."""


class EpisodeColumns(NamedTuple):
    """The ended episodes of a run: when each ended, and the steps and number of episodes up to then.

    Only those that measure the run's progress are counted: an evaluation lies where the training was.
    """

    t_end: Floats
    steps_so_far: Floats
    episodes_so_far: Floats

    def of(self, wanted: Bools) -> EpisodeColumns:
        """Some of them, where they lie among all."""
        return self if wanted.all() else EpisodeColumns(*(column[wanted] for column in self))


class MetricColumns(NamedTuple):
    """The values of one metric: when each was logged, at which step (or NaN), and its number from 1."""

    t: Floats
    step: Floats
    number: Floats


def as_ended(
    index: Floats | Ints, t_end: Floats, steps: Floats | Ints, counted: Bools | None = None
) -> tuple[Ints | slice, EpisodeColumns]:
    """The order in which episodes ended, to sort whatever else is known of them, and their columns in it.

    Episodes that ended at the same time, or whose times were not recorded, come by index. The order in which
    a store holds them does not matter: after a rebuild it may be another one. `counted` are those by which
    progress is measured, all of them without it.
    """
    counted = np.ones(len(index), bool) if counted is None else counted
    order: Ints | slice = slice(None)  # mostly they come sorted: nothing is copied then
    before, after = t_end[:-1], t_end[1:]
    if (after < before).any() or ((after == before) & (index[1:] < index[:-1])).any():
        order = np.lexsort((index, t_end))
    counted = counted[order]
    steps_so_far = np.cumsum(np.where(counted, steps[order], 0), dtype=np.float64)
    return order, EpisodeColumns(t_end[order], steps_so_far, np.cumsum(counted, dtype=np.float64))


def episodes_x(axis: Axis, episodes: EpisodeColumns, *, t_first: float, updates_t: Floats | None) -> Floats:
    """Where episodes lie.

    Args:
        axis: which axis.
        episodes: what is known of them.
        t_first: when the run began.
        updates_t: when each update was logged; None when the run logs none.
    """
    if axis == "steps":
        return episodes.steps_so_far
    if axis == "episodes":
        return episodes.episodes_so_far
    if axis == "time":
        return since(episodes.t_end, t_first)
    if updates_t is None:
        return np.full(len(episodes.t_end), np.nan)
    return count_at(episodes.t_end, updates_t)


def metric_x(axis: Axis, metric: MetricColumns, episodes: EpisodeColumns, *, t_first: float) -> Floats:
    """Where the values of a metric lie; one logged without a step, at the steps of the episodes by then."""
    if axis == "updates":
        return metric.number
    if axis == "time":
        return since(metric.t, t_first)
    if axis == "episodes":
        return count_at(metric.t, episodes.t_end, episodes.episodes_so_far)
    missing = np.isnan(metric.step)
    if not missing.any():
        return metric.step
    return np.where(missing, count_at(metric.t, episodes.t_end, episodes.steps_so_far), metric.step)


def since(t: Floats, t_first: float) -> Floats:
    """Seconds since the run began; NaN where no time was recorded."""
    return np.where(t > 0, t - t_first, np.nan)


def count_at(t: Floats, ticks: Floats, counts: Floats | None = None) -> Floats:
    """How far a count had come at each time; NaN where there are no times to tell by.

    Args:
        t: the times asked about.
        ticks: when the count grew. Clocks go back at times: no tick counts as earlier than the one before.
        counts: what it had grown to at each tick; else 1, 2, 3 …
    """
    if not len(ticks) or not (ticks > 0).all():
        return np.full(len(t), np.nan)
    upto = np.arange(1.0, len(ticks) + 1) if counts is None else counts
    at = np.searchsorted(np.maximum.accumulate(ticks), t, side="right")
    return np.where(t > 0, np.concatenate([[0.0], upto])[at], np.nan)
