from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from mosaic_worker.operators import Policy
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.worlds.copies import CopiesWorld


class Countdown(gym.Env[Any, Any]):
    """Ends after as many steps as its action says; pays one for each. Counts its resets and steps."""

    action_space = gym.spaces.Discrete(10)
    observation_space = gym.spaces.Discrete(100)

    def __init__(self) -> None:
        self.seeds: list[int | None] = []
        self.steps = 0
        self.closed = False

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        self.seeds.append(seed)
        self.at = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.at += 1
        self.steps += 1
        return self.at, 1.0, self.at >= action, False, {}

    def close(self) -> None:
        self.closed = True


def made(*names: str) -> tuple[CopiesWorld, dict[str, Countdown]]:
    envs = {name: Countdown() for name in names}
    return CopiesWorld(envs), envs


def test_who_ends_early_waits_and_nobody_else_is_reset() -> None:
    world, envs = made("short", "long")
    operators = {"short": Policy(lambda _: 2), "long": Policy(lambda _: 5)}
    played = play(world, operators, until=Until(episodes=1), seed=7)
    assert {one.actor: (one.returned, one.length) for one in played.episodes} == {
        "short": (2.0, 2),
        "long": (5.0, 5),
    }
    assert (envs["short"].steps, envs["long"].steps) == (2, 5)
    assert [env.seeds for env in envs.values()] == [[7], [7]]
    assert played.ticks == 5


def test_the_next_episode_begins_for_all_of_them() -> None:
    world, envs = made("a", "b")
    played = play(
        world, {"a": Policy(lambda _: 1), "b": Policy(lambda _: 3)}, until=Until(episodes=2), seed=1
    )
    assert [one.actor for one in played.episodes] == ["a", "b", "a", "b"]
    assert [len(env.seeds) for env in envs.values()] == [2, 2]


def test_each_actor_is_in_its_own_copy() -> None:
    world, envs = made("a", "b")
    assert world.env_of("b") is envs["b"]
    assert world.action_space("a") is Countdown.action_space
    assert world.observation_space("a") is Countdown.observation_space
    assert world.over
    world.reset(seed=1)
    assert not world.over
    world.close()
    assert all(env.closed for env in envs.values())


def test_a_world_without_copies_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        CopiesWorld({})
