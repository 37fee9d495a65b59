"""Every kind of world on real environments: who sees what, when it is over, how it is drawn."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv

from mosaic_worker import rng
from mosaic_worker.session.outcome import BEGAN, GONE, RESTARTED, SOLE
from mosaic_worker.session.worlds import SingleWorld, world_of
from tests.worker.zoo import Counting, Leaving


class Countdown(VectorEnv):
    """Positions that end after 2, 3, … steps. Observations count the steps of the episode.

    As strict as gymnasium's own: without autoreset, nobody may be stepped after the end.
    """

    def __init__(self, mode: AutoresetMode, positions: int = 2) -> None:
        self.num_envs = positions
        self.metadata = {"autoreset_mode": mode}
        self.single_action_space = gym.spaces.Discrete(3)
        self.single_observation_space = gym.spaces.Discrete(99)
        self.given: list[list[int]] = []

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.seeds = seed
        mask = (options or {}).pop("reset_mask", None)
        if mask is None:
            self.count = np.zeros(self.num_envs, np.int64)
            self.ended = np.zeros(self.num_envs, bool)
        else:
            assert mask.dtype == np.bool_
            self.count[mask] = 0
            self.ended[mask] = False
        return self.count.copy(), {}

    def step(self, actions: Any) -> Any:
        self.given.append(actions.tolist())
        mode, infos = self.metadata["autoreset_mode"], {}
        assert mode != AutoresetMode.DISABLED or not self.ended.any()
        began = self.ended & (mode == AutoresetMode.NEXT_STEP)
        self.count = np.where(began, 0, self.count + 1)
        self.ended = ~began & (self.count >= np.arange(2, self.num_envs + 2))
        if mode == AutoresetMode.SAME_STEP:
            infos = {"final_obs": np.where(self.ended, self.count, -1)}
            self.count = np.where(self.ended, 0, self.count)
        rewards = np.where(began, 0.0, 1.0)
        return self.count.copy(), rewards, self.ended.copy(), np.zeros(self.num_envs, bool), infos

    def render(self) -> Any:
        return tuple(np.full((2, 2, 3), index, np.uint8) for index in range(self.num_envs))


def test_a_single_world_sees_what_its_environment_gives() -> None:
    world, env = world_of(gym.make("CartPole-v1", render_mode="rgb_array")), gym.make("CartPole-v1")
    world.reset(seed=5)
    first, _ = env.reset(seed=5)
    assert (world.look()[SOLE].observation == first).all()
    while not world.over:
        world.step({SOLE: 1})
        observation, *rest = env.step(1)
        seen = world.look()[SOLE]
        assert (seen.observation == observation).all()
        assert [seen.reward, seen.terminated, seen.truncated, seen.info] == rest
    assert seen.terminated
    assert world.draw().shape == (400, 600, 3)
    world.close()


def test_a_world_is_reset_from_a_saved_generator() -> None:
    env = gym.make("CartPole-v1")
    env.reset(seed=1)
    saved = rng.capture_env(env.unwrapped)
    after, _ = env.reset()
    world = SingleWorld(gym.make("CartPole-v1"))
    world.reset(rng=saved)
    assert (world.now.observation == after).all()


def test_nothing_is_given_to_a_reset_that_was_not_asked_for() -> None:
    class Old:
        def reset(self) -> int:
            return 7

        def step(self, action: int) -> Any:
            return action, 1.0, True, {"TimeLimit.truncated": True}

    world = SingleWorld(Old())
    world.reset()
    assert world.now.observation == 7
    world.step({SOLE: 3})
    assert (world.now.observation, world.now.terminated, world.now.truncated) == (3, False, True)
    assert world.over


def test_a_position_that_restarts_in_the_next_step_needs_no_action_there() -> None:
    env = Countdown(AutoresetMode.NEXT_STEP)
    world = world_of(env, "vector")
    world.reset(seed=[4, 4])
    assert env.seeds == 4
    world.step({0: 1, 1: 2})
    world.step({0: 1, 1: 2})
    assert [(one.observation, one.terminated, one.how) for one in world.look().values()] == [
        (2, True, ""),
        (2, False, ""),
    ]
    world.step({1: 2})
    first, second = world.look().values()
    assert (first.how, first.observation, first.reward, second.terminated) == (BEGAN, 0, 0.0, True)
    assert env.given[-1] == [2, 2]
    world.step({0: 0})
    assert world.look()[1].how == BEGAN
    assert not world.over


def test_when_all_positions_restart_at_once_no_action_is_needed_at_all() -> None:
    env = Countdown(AutoresetMode.NEXT_STEP, positions=1)
    world = world_of(env, "vector")
    world.reset()
    world.step({0: 2})
    world.step({0: 2})
    world.step({})
    assert world.look()[0].how == BEGAN


def test_a_position_that_restarts_in_the_same_step_keeps_its_true_last_observation() -> None:
    world = world_of(Countdown(AutoresetMode.SAME_STEP), "vector")
    world.reset()
    world.step({0: 1, 1: 1})
    world.step({0: 1, 1: 1})
    first, second = world.look().values()
    assert (first.how, first.observation, first.last, first.terminated) == (RESTARTED, 0, 2, True)
    assert (second.how, second.observation, second.last) == ("", 2, None)


def test_without_autoreset_a_vector_world_is_over_when_all_have_ended() -> None:
    world = world_of(Countdown(AutoresetMode.DISABLED), "vector")
    world.reset()
    world.step({0: 1, 1: 1})
    world.step({0: 1, 1: 1})
    assert (world.restarts, world.over) == (False, False)
    world.step({1: 1})
    assert world.over
    world.reset(options={"reset_mask": np.array([True, False])})
    assert not world.over
    assert [(index, one.observation, one.terminated) for index, one in world.look().items()] == [
        (0, 0, False),
        (1, 3, True),
    ]
    world.step({0: 1})
    world.step({0: 1})
    assert world.over


def test_without_autoreset_who_has_ended_is_seen_once_and_waits_however_often_it_has_to_be_reset() -> None:
    env = Countdown(AutoresetMode.DISABLED, positions=4)
    world = world_of(env, "vector")
    world.reset()
    seen = []
    while not world.over:
        world.step({index: 1 for index, one in world.look().items() if not one.terminated})
        seen.append([(index, one.observation, one.terminated) for index, one in world.look().items()])
    assert seen == [
        [(0, 1, False), (1, 1, False), (2, 1, False), (3, 1, False)],
        [(0, 2, True), (1, 2, False), (2, 2, False), (3, 2, False)],
        [(1, 3, True), (2, 3, False), (3, 3, False)],
        [(2, 4, True), (3, 4, False)],
        [(3, 5, True)],
    ]
    world.reset()
    assert list(world.look()) == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", [gym.vector.SyncVectorEnv, gym.vector.AsyncVectorEnv])
def test_gymnasiums_own_vector_environment_is_stepped_to_its_end_without_autoreset(kind: Any) -> None:
    lengths = []
    for seed in (4, 5, 6):
        env = gym.make("CartPole-v1")
        env.reset(seed=seed)
        lengths.append(next(count for count in range(1, 99) if env.step(1)[2]))
    assert len(set(lengths)) > 1
    made = kind([lambda: gym.make("CartPole-v1")] * 3, autoreset_mode=AutoresetMode.DISABLED)
    world, counted = world_of(made, "vector"), [0, 0, 0]
    world.reset(seed=4)
    while not world.over:
        acting = [index for index, one in world.look().items() if not one.terminated]
        world.step(dict.fromkeys(acting, 1))
        for index in acting:
            counted[index] += 1
    world.close()
    assert counted == lengths


def test_a_vector_world_draws_the_position_that_is_asked_for() -> None:
    world = world_of(Countdown(AutoresetMode.NEXT_STEP), "vector")
    assert [world.draw(actor)[0, 0, 0] for actor in ("", "1", 0, 9)] == [0, 1, 0, 1]


def test_in_an_aec_world_one_acts_at_a_time_and_a_dead_one_is_stepped_with_nothing() -> None:
    world = world_of(Counting(turns=2), "aec")
    world.reset()
    acted = []
    while not world.over:
        ((agent, seen),) = world.look().items()
        acted.append((agent, seen.reward, bool(seen.terminated or seen.truncated)))
        world.step({} if acted[-1][2] else {agent: 3})
    assert acted == [("a", 0, False), ("b", 0.25, False), ("a", 3.25, True), ("b", 3, True)]
    assert world.look() == {}


def test_in_a_parallel_world_whoever_is_taken_out_is_gone() -> None:
    world = world_of(Leaving(), "parallel")
    world.reset()
    assert list(world.look()) == ["a", "b"]
    world.step({"a": 1, "b": 2})
    seen = world.look()
    assert (seen["b"].how, seen["b"].terminated, seen["a"].how) == (GONE, False, "")
    world.step({"a": 1})
    assert list(world.look()) == ["a"]


class Old:
    """As PettingZoo was before 1.22: four values, one flag; spaces in dicts."""

    possible_agents = ("a", "b")

    def reset(self) -> Any:
        self.agents = list(self.possible_agents)
        return {"a": 0, "b": 0}

    def step(self, actions: Any) -> Any:
        self.agents = ["b"]
        return {"a": 1, "b": 1}, {"a": 1.0, "b": 2.0}, {"a": True, "b": False}, {"a": {"x": 1}, "b": {"x": 2}}


def test_the_four_values_of_an_old_parallel_environment_have_one_flag() -> None:
    world = world_of(Old(), "parallel")
    world.reset()
    world.step({"a": 1, "b": 1})
    assert {
        agent: (one.observation, one.reward, one.terminated, one.truncated, one.info)
        for agent, one in world.look().items()
    } == {"a": (1, 1.0, True, False, {"x": 1}), "b": (1, 2.0, False, False, {"x": 2})}


@pytest.mark.parametrize("error", [AttributeError, KeyError, TypeError, ValueError])
def test_an_environment_that_does_not_say_what_an_agent_may_do_has_no_action_space(
    error: type[Exception],
) -> None:
    class Silent(Leaving):
        def action_space(self, agent: str) -> Any:
            raise error(agent)

    for kind in ("parallel", "aec"):
        assert world_of(Silent(), kind).action_space("a") is None
        assert world_of(Old(), kind).action_space("a") is None
    assert world_of(Leaving(), "parallel").action_space("a").n == 10


def test_there_is_no_world_of_another_kind() -> None:
    with pytest.raises(ValueError, match="kind 'double'; there are: single, vector, aec, parallel"):
        world_of(None, "double")
