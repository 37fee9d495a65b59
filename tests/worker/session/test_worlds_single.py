"""One environment with one actor, of today's library and of old ones."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from mosaic_worker.session.outcome import SOLE
from mosaic_worker.session.worlds.single import SingleWorld


class Scripted:
    """An environment that answers as it is told, and remembers what it was given."""

    action_space = gym.spaces.Discrete(2)

    def __init__(self, *answers: tuple[Any, ...]) -> None:
        self.answers, self.given = list(answers), list[Any]()

    def reset(self, **arguments: Any) -> Any:
        self.given.append(arguments)
        return "first", {"map": 1}

    def step(self, action: Any) -> Any:
        self.given.append(action)
        return self.answers.pop(0)


def test_it_is_over_until_it_is_reset_and_again_after_either_flag() -> None:
    env = Scripted(
        ("a", 1.0, False, False, {}), ("b", 2.0, True, False, {}), ("c", 3.0, False, True, {"x": 1})
    )
    world = SingleWorld(env)
    assert world.over
    world.reset(seed=7)
    assert not world.over
    assert (world.now.observation, world.now.reward, world.now.info) == ("first", 0.0, {"map": 1})
    over = []
    for _ in range(3):
        world.step({SOLE: 1})
        over.append(world.over)
    assert over == [False, True, True]
    assert env.given == [{"seed": 7}, 1, 1, 1]
    assert world.look() == {SOLE: world.now}
    assert (world.now.observation, world.now.reward, world.now.info) == ("c", 3.0, {"x": 1})


def test_the_space_is_the_environments_and_may_be_missing() -> None:
    assert SingleWorld(Scripted()).action_space() == gym.spaces.Discrete(2)
    assert SingleWorld(Scripted()).action_space(SOLE) == gym.spaces.Discrete(2)
    assert SingleWorld(object()).action_space() is None
