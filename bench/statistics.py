"""The statistics of a comparison: ours in numpy against the same bootstrap written out in plain Python.

10 runs of 20 tasks, as many as a table of a paper has. Processor time.
"""

from __future__ import annotations

import random
import time

import numpy as np

from mosaic.analysis import scores
from mosaic.analysis.ratings import Game, expected_score, fair_lineups, rate

__all__ = ["measure"]

_RESAMPLES = 10_000
_PLAIN_RESAMPLES = 200
_PLAYERS = 8


def measure() -> dict[str, float]:
    """Milliseconds for 10,000 resamples of the IQM and of an improvement, and for a league of eight."""
    dice = np.random.default_rng(0)
    first, second = dice.normal(0.5, 0.2, (10, 20)), dice.normal(0.45, 0.2, (10, 20))
    truth = {f"player {k}": 1500.0 + 60 * k for k in range(_PLAYERS)}
    games = [
        Game(
            first=one,
            second=other,
            score=float(dice.random() < expected_score(truth[one], truth[other])),
        )
        for _ in range(20)
        for one, other in fair_lineups(list(truth))
    ]
    found = {}
    for name, work in (
        ("iqm_ms", lambda: scores.iqm(first, resamples=_RESAMPLES)),
        ("improvement_ms", lambda: scores.probability_of_improvement(first, second, resamples=_RESAMPLES)),
        ("league_ms", lambda: rate(games)),
    ):
        before = time.process_time()
        work()
        found[name] = 1000 * (time.process_time() - before)
    before = time.process_time()
    _plain_iqms(first.T.tolist(), _PLAIN_RESAMPLES)
    found["plain_iqm_ms"] = 1000 * (time.process_time() - before) * _RESAMPLES / _PLAIN_RESAMPLES
    return found


def _plain_iqms(tasks: list[list[float]], resamples: int) -> list[float]:
    dice = random.Random(0)
    found = []
    for _ in range(resamples):
        cells = sorted(value for task in tasks for value in dice.choices(task, k=len(task)))
        cut = len(cells) // 4
        middle = cells[cut : len(cells) - cut]
        found.append(sum(middle) / len(middle))
    return found
