"""Playing a trained policy, and what an evaluation says: mean, spread and number of episodes together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Callable, List, Optional

import mosaic_worker
from mosaic_worker.drivers.kit import command
from mosaic_worker.session.attended import Attended
from mosaic_worker.session.ledger import Ledger
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.outcome import SOLE
from mosaic_worker.session.played import Episode, Played
from mosaic_worker.session.worlds import SingleWorld

if TYPE_CHECKING:
    from mosaic_worker.operators import Operator

__all__ = ["Evaluation", "evaluate", "report", "summary"]


class Evaluation(Played):
    """What an evaluation played: each return is recorded when its episode ends.

    `step` and `end` are for a driver whose framework evaluates in a loop of its own; `evaluate` needs none.
    """

    def __init__(self) -> None:
        super().__init__()
        self._total = 0.0
        self._steps = 0

    def add(self, episode: Episode) -> None:
        """An episode has ended."""
        super().add(episode)
        mosaic_worker.metric("eval/episodic_return", episode.returned, len(self.episodes))

    def step(self, reward: float) -> None:
        """The framework made one step."""
        self._total += reward
        self._steps += 1
        self.ticks += 1

    def end(self) -> None:
        """The framework ended the episode."""
        self.add(Episode(SOLE, self._total, self._steps))
        self._total, self._steps = 0.0, 0


def evaluate(
    env: Any,
    operator: Operator,
    *,
    seed: Optional[int],
    episodes: int,
    step: int,
    returned: Optional[Callable[[Episode], float]] = None,
) -> Evaluation:
    """Play episodes, record each return, print and record the result. People may relieve the operator.

    Args:
        env: where to play; it stays open.
        operator: who decides.
        seed: of the first reset; the later ones go on from there.
        episodes: how many.
        step: how far the training was that is evaluated.
        returned: an episode's return, where it is not the sum of the rewards.
    """
    found = Evaluation()

    def ended(episode: Episode) -> None:
        found.add(episode if returned is None else episode._replace(returned=returned(episode)))
        attended.control.begin(episode=len(found.episodes), seed=seed or 0)

    world = SingleWorld(env)
    env_id = getattr(getattr(env, "spec", None), "id", "")
    with Attended(world, {SOLE: operator}, env_id=env_id, cuts=()) as attended:
        attended.control.episodes = episodes
        played = play(
            world,
            attended.seats,
            until=Until(episodes=episodes),
            seed=seed,
            ended=ended,
            ledger=Ledger(quiet=True),
            pace=attended.pace,
        )
    found.ticks = played.ticks
    report(found, step=step)
    return found


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
