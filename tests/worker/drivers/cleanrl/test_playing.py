"""A script's wrappers around a core that simulates nothing; with torch and real scripts: tests/frameworks."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.drivers.cleanrl.playing import Wrapped, loaded
from mosaic_worker.drivers.kit.command import Refused, Words


def clipped() -> Any:
    env = gym.make("Pendulum-v1")
    env = gym.wrappers.ClipAction(env)
    return gym.wrappers.TransformObservation(env, lambda seen: seen * 2, env.observation_space)


def test_observations_go_up_and_actions_come_down_through_the_wrappers() -> None:
    wrapped = Wrapped(clipped())
    first, second = np.ones(3, np.float32), np.full(3, 0.25, np.float32)
    assert wrapped.begin(first).tolist() == [2, 2, 2]
    action = np.array([7.5], np.float32)
    assert wrapped.down(action).tolist() == [2.0]  # the torque that Pendulum takes
    assert wrapped.down(action).tolist() == [2.0]  # asking changes nothing
    assert wrapped.up(action, second).tolist() == [0.5, 0.5, 0.5]
    assert wrapped.begin(second).tolist() == [0.5, 0.5, 0.5]


def test_wrappers_that_count_see_every_observation_once() -> None:
    apart, together = (gym.wrappers.NormalizeObservation(gym.make("Pendulum-v1")) for _ in range(2))
    told, _ = together.reset(seed=3)
    wrapped = Wrapped(apart)
    inner = together.unwrapped._get_obs  # type: ignore[attr-defined]
    assert wrapped.begin(inner()).tolist() == told.tolist()
    for torque in (0.5, -2.0, 1.0):
        action = np.array([torque], np.float32)
        told = together.step(action)[0]
        assert wrapped.down(action).tolist() == [torque]
        assert wrapped.up(action, inner()).tolist() == told.tolist()
    together.close()


class Skipping(gym.Wrapper[Any, Any, Any, Any]):
    def step(self, action: Any) -> Any:
        self.env.step(action)
        return self.env.step(action)


class MovingFirst(gym.Wrapper[Any, Any, Any, Any]):
    def reset(self, **given: Any) -> Any:
        self.env.reset(**given)
        seen, _, _, _, info = self.env.step(0)
        return seen, info


class Keeping(gym.Wrapper[Any, Any, Any, Any]):
    def step(self, action: Any) -> Any:
        return self.env.reset()[0], 0.0, False, False, {}


def test_wrappers_that_step_by_themselves_are_refused() -> None:
    seen = np.zeros(4, np.float32)
    skipping = Wrapped(Skipping(gym.make("CartPole-v1", disable_env_checker=True)))
    skipping.begin(seen)
    with pytest.raises(Refused, match=r"play it with mosaic eval\. The wrappers are: Skipping"):
        skipping.up(1, seen.copy())
    with pytest.raises(Refused, match="MovingFirst"):
        Wrapped(MovingFirst(gym.make("CartPole-v1", disable_env_checker=True))).begin(seen)
    keeping = Wrapped(Keeping(gym.make("CartPole-v1")))
    keeping.begin(seen)
    with pytest.raises(Refused, match="keep actions to themselves"):
        keeping.down(1)


def test_a_bare_environment_needs_no_wrapper() -> None:
    wrapped = Wrapped(gym.make("CartPole-v1").unwrapped)
    seen = np.zeros(4, np.float32)
    assert wrapped.begin(seen) is seen
    assert wrapped.down(1) == 1


def test_without_a_checkout_nothing_is_loaded() -> None:
    with pytest.raises(Refused, match="--checkout FOLDER"):
        loaded(Words("play", algo="ppo", checkpoint="x.pt"))
