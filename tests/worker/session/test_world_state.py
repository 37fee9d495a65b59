"""What a world remembers beside its environment, given and taken back with a snapshot of both."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mosaic_worker.operators import Operator, Policy
from mosaic_worker.replay.keyframes import capture
from mosaic_worker.replay.sims import Sim, SingleSim, VectorSim
from mosaic_worker.replay.zoo import AecSim, ParallelSim
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.outcome import GONE, RESTARTED
from tests.worker.session.test_worlds import Countdown
from tests.worker.zoo import Counting, Growing, Leaving

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic_worker.session.worlds import World

SIMS: dict[str, Callable[[], Sim]] = {
    "single": lambda: SingleSim(gym.make("CartPole-v1")),
    **{
        f"vector, {mode.value}": lambda mode=mode: VectorSim(Countdown(mode, positions=4))  # type: ignore[misc]
        for mode in AutoresetMode
    },
    "aec": lambda: AecSim(Counting(("a", "b", "c"), deaths={"b": 3})),
    "parallel, leaving": lambda: ParallelSim(Leaving()),
    "parallel, growing": lambda: ParallelSim(Growing()),
}
TICKS = 12


def seen(world: World) -> Any:
    """Everything the world says, such that `==` compares all of it."""
    found = {
        actor: [one.tolist() if isinstance(one, np.ndarray | np.generic) else one for one in outcome]
        for actor, outcome in world.look().items()
    }
    return world.over, found


def tick(world: World) -> None:
    """The next tick: everybody who may act does 1; who is over is reset."""
    if world.over:
        world.reset()
        return
    acting = {
        actor: 1
        for actor, one in world.look().items()
        if one.how != GONE and (one.how == RESTARTED or not (one.terminated or one.truncated))
    }
    world.step(acting)


@pytest.mark.parametrize("kind", SIMS)
def test_after_a_snapshot_is_put_back_a_world_sees_what_it_saw_there_and_then(kind: str) -> None:
    sim = SIMS[kind]()
    world = sim.world
    world.reset(seed=4)
    taken, course = [], [seen(world)]
    for _ in range(TICKS):
        found = capture(sim)
        assert found is not None
        taken.append(found)
        tick(world)
        course.append(seen(world))
    for at in [*reversed(range(TICKS)), *range(TICKS)]:
        taken[at].put_back(sim)
        assert seen(world) == course[at]
        for after in course[at + 1 :]:
            tick(world)
            assert seen(world) == after
    world.close()


def test_a_play_goes_on_from_a_snapshot_as_it_went_on_the_first_time() -> None:
    sim = SIMS["vector, Disabled"]()
    sim.world.reset()
    for _ in range(3):
        tick(sim.world)
    taken = capture(sim)
    assert taken is not None
    lengths = []
    for _ in range(2):
        operators: dict[int, Operator] = defaultdict(lambda: Policy(lambda _: 1))
        played = play(sim.world, operators, until=Until(episodes=1), reset=False)
        lengths.append([(one.actor, one.length) for one in played.episodes])
        taken.put_back(sim)
    assert lengths[0] == lengths[1] == [(2, 1), (3, 2)]
