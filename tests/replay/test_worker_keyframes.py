"""Snapshots of real environments: put back, they lead to exactly what they led to before."""

from __future__ import annotations

import threading
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from pettingzoo.classic.rps import rps
from pettingzoo.classic.tictactoe import tictactoe

from mosaic_worker.replay.keyframes import Keyframe, UncopyableError, capture
from mosaic_worker.replay.sims import Sim, SingleSim
from mosaic_worker.replay.zoo import AecSim, ParallelSim
from tests.replay.walking import Walk


def sim_of(env_id: str, steps: int = 0, **more: Any) -> SingleSim:
    """An environment that has gone so many steps."""
    sim = SingleSim(gym.make(env_id, **more))
    sim.env.reset(seed=4)
    onwards(sim, steps)
    sim.turn = steps
    return sim


def onwards(sim: Sim, steps: int = 6) -> list[Any]:
    """What comes of some steps, always the same ones, down to the bit."""
    sim.env.action_space.seed(2)
    results = [sim.env.step(sim.env.action_space.sample()) for _ in range(steps)]
    return [(np.asarray(obs).tobytes(), float(reward), *ended) for obs, reward, *ended, _ in results]


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Acrobot-v1", "Taxi-v4", "FrozenLake-v1", "Pendulum-v1"])
def test_put_back_as_often_as_one_likes_an_environment_goes_the_same_way(env_id: str) -> None:
    sim = sim_of(env_id, steps=5)
    keyframe = Keyframe(sim)
    first = onwards(sim)
    for _ in range(2):
        sim.turn = 11
        keyframe.put_back(sim)
        assert sim.turn == 5
        assert onwards(sim) == first
    sim.close()


def test_every_layer_is_put_back() -> None:
    sim = sim_of("CartPole-v1", steps=3, max_episode_steps=9)
    keyframe = Keyframe(sim)
    layers = [sim.env, sim.env.env, sim.env.unwrapped]
    assert sim.env._elapsed_steps == 3
    onwards(sim, 4)
    sim.env.unwrapped.added_later = True
    keyframe.put_back(sim)
    assert sim.env._elapsed_steps == 3
    assert not hasattr(sim.env.unwrapped, "added_later")
    assert [sim.env, sim.env.env, sim.env.unwrapped] == layers  # the same objects, with other contents
    sim.close()


def test_what_was_remembered_for_comparing_is_put_back_too() -> None:
    sim = sim_of("CartPole-v1")
    sim.books = {"waiting": {"a": 3}}
    keyframe = Keyframe(sim)
    sim.books["waiting"]["b"] = 4
    for _ in range(2):
        keyframe.put_back(sim)
        assert sim.books == {"waiting": {"a": 3}}
        sim.books["waiting"]["c"] = 5  # belongs to the environment now, not to the snapshot
    sim.close()


def test_an_environment_of_several_agents_is_put_back_through_all_its_layers() -> None:
    sim = AecSim(tictactoe.env())
    sim.env.reset()
    sim.env.step(4)
    keyframe = Keyframe(sim)
    before = sim.env.observe("player_2")["observation"].copy()
    sim.env.step(0)
    sim.env.step(1)
    keyframe.put_back(sim)
    assert sim.env.agent_selection == "player_2"
    assert (sim.env.observe("player_2")["observation"] == before).all()
    sim.close()


def test_an_environment_turned_to_act_at_once_is_put_back_in_place() -> None:
    sim = ParallelSim(rps.parallel_env())
    sim.env.reset(seed=1)
    innermost = sim.core
    keyframe = Keyframe(sim)
    first = sim.env.step({"player_0": 0, "player_1": 1})
    for _ in range(2):
        keyframe.put_back(sim)
        assert sim.core is innermost
        assert sim.env.step({"player_0": 0, "player_1": 1}) == first
    sim.close()


def test_what_draws_is_shared_and_draws_the_restored_state() -> None:
    sim = sim_of("CartPole-v1", steps=2, render_mode="rgb_array")
    wanted = sim.frame("").tobytes()
    screen = sim.env.unwrapped.screen
    keyframe = Keyframe(sim)
    onwards(sim, 5)
    assert sim.frame("").tobytes() != wanted
    keyframe.put_back(sim)
    assert sim.env.unwrapped.screen is screen
    assert sim.frame("").tobytes() == wanted
    sim.close()


class Emulator:
    """Keeps its state where a copy does not see it, and gives it out as an emulator does."""

    def __init__(self) -> None:
        self.state, self.with_rng = [0], False

    def cloneState(self, *, include_rng: bool) -> tuple[int, bool]:
        return self.state[0], include_rng

    def restoreState(self, state: tuple[int, bool]) -> None:
        self.state[0], self.with_rng = state


Emulator.__module__ = "ale_py._ale_py"


@pytest.mark.parametrize("deep", [False, True])
def test_an_emulator_is_shared_and_restored_with_its_own_state_and_luck(deep: bool) -> None:
    env, emulator = Walk(), Emulator()
    env.ale = {"inside": [emulator]} if deep else emulator  # type: ignore[attr-defined]
    sim = SingleSim(env)
    emulator.state[0] = 7
    keyframe = Keyframe(sim)
    emulator.state[0] = 9
    keyframe.put_back(sim)
    assert (emulator.state, emulator.with_rng) == ([7], True)
    assert (env.ale["inside"][0] if deep else env.ale) is emulator  # type: ignore[attr-defined]


class Fresh(Walk):
    """Says of itself that a copy of it is a new one."""

    def __deepcopy__(self, _: Any) -> Fresh:
        return Fresh()


def test_an_environment_that_copies_itself_afresh_is_put_back_all_the_same() -> None:
    env = Fresh()
    env.reset(seed=1)
    env.step(2)
    sim, total = SingleSim(env), env.total
    keyframe = Keyframe(sim)
    env.step(2)
    keyframe.put_back(sim)
    assert env.total == total


class Alien:
    """Of a library whose objects have no copies."""


Alien.__module__ = "Box2D.b2World"


@pytest.mark.parametrize(
    "held",
    [threading.Lock(), Alien(), {"deep": [Alien()]}, (i for i in range(3)), {"here": threading.RLock()}],
    ids=["lock", "world", "world in a list", "generator", "lock in a dict"],
)
def test_what_cannot_be_copied_gives_no_keyframe(held: Any) -> None:
    env = Walk()
    assert capture(SingleSim(env)) is not None
    env.held = held  # type: ignore[attr-defined]
    assert capture(SingleSim(env)) is None
    with pytest.raises(UncopyableError):
        Keyframe(SingleSim(env))


class Around:
    def __init__(self, env: Any) -> None:
        self.env, self.action_space = env, None

    def step(self, action: Any) -> Any:
        return self.env.step(action)


@pytest.mark.parametrize(("layers", "captured"), [(31, True), (32, False)])
def test_an_endless_nest_of_layers_is_refused(layers: int, captured: bool) -> None:
    env: Any = Walk()
    for _ in range(layers - 1):
        env = Around(env)
    assert (capture(SingleSim(env)) is not None) is captured
