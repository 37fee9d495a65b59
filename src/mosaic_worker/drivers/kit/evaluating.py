"""What an evaluation says at its end: mean, spread and number of episodes, never one without the others."""

from __future__ import annotations

import math
from typing import List

import mosaic_worker
from mosaic_worker.drivers.kit import command

__all__ = ["Played", "report", "summary"]


class Played:
    """The episodes of an evaluation, counted as they are played."""

    def __init__(self) -> None:
        self.returns: List[float] = []
        self.lengths: List[int] = []
        self._total = 0.0
        self._steps = 0

    def step(self, reward: float) -> None:
        """One step was made."""
        self._total += reward
        self._steps += 1

    def end(self) -> None:
        """The episode is over."""
        self.returns.append(self._total)
        self.lengths.append(self._steps)
        mosaic_worker.metric("eval/episodic_return", self._total, len(self.returns))
        self._total, self._steps = 0.0, 0


def summary(returns: List[float]) -> str:
    """The result in one line."""
    count = len(returns)
    mean = sum(returns) / count
    if count == 1:
        return f"return {mean:.2f} (1 episode)"
    spread = math.sqrt(sum((value - mean) ** 2 for value in returns) / (count - 1))
    return (
        f"mean return {mean:.2f} ± {spread:.2f} (standard deviation, {count} episodes), "
        f"from {min(returns):.2f} to {max(returns):.2f}"
    )


def report(played: Played, *, step: int) -> None:
    """Print and record the result."""
    text = summary(played.returns)
    mosaic_worker.metric("eval/mean_reward", sum(played.returns) / len(played.returns), step)
    mosaic_worker.metric("eval/mean_ep_length", sum(played.lengths) / len(played.lengths), step)
    mosaic_worker.note(text)
    command.say(text)
