"""A world whose environment returns dicts by agent."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from mosaic_worker.session.outcome import Outcome
from mosaic_worker.session.worlds import world_of


class Relay(gym.Env[Any, Any]):
    """Agents 0 and 1 act in turn; 1 ends at its second turn, everybody is cut after four."""

    def __init__(self) -> None:
        self.action_spaces = {0: gym.spaces.Discrete(2), 1: gym.spaces.Discrete(3)}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        super().reset(seed=seed)
        self.t = 0
        return {0: 10}, {}

    def step(self, actions: Any) -> Any:
        self.t += 1
        who = self.t % 2
        ended = {1: self.t == 3, "__all__": False}
        return {who: 10 + self.t}, {who: 0.5}, ended, {"__all__": self.t == 4}, {}


def test_whoever_sees_something_acts_next_until_all_are_over() -> None:
    world = world_of(Relay(), "dicts")
    assert world.over
    world.reset(seed=1)
    assert world.look() == {0: Outcome(10)}
    world.step({0: 1})
    assert world.look() == {1: Outcome(11, 0.5)}
    world.step({1: 2})
    world.step({0: 1})
    assert world.look() == {1: Outcome(13, 0.5, terminated=True)}
    assert world.over  # nobody is left to act
    world.step({})
    assert world.over
    assert {agent: now.truncated for agent, now in world.look().items()} == {0: True, 1: True}


def test_an_agent_has_its_own_action_space() -> None:
    world = world_of(Relay(), "dicts")
    assert [world.action_space(agent).n for agent in (0, 1)] == [2, 3]
    assert world.observation_space(0) is None  # nobody says
    world.core.observation_spaces = {0: gym.spaces.Discrete(5)}
    assert world.observation_space(0).n == 5
    world.close()
