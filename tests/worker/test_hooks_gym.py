"""Older ways to step: gym by duck typing, and the versions people still pin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.envs import python_of
from tests.worker.reading import record
from tests.worker.test_hooks_gymnasium import check_steps, episodes_of

if TYPE_CHECKING:
    from pathlib import Path

OLD_GYM = {
    "__init__.py": "from gym.core import Env, Wrapper\nfrom gym.envs.registration import make, register\n",
    "core.py": """
class Env:
    metadata, spec = {}, None
    def close(self): pass
    @property
    def unwrapped(self): return self
class Wrapper(Env):
    def __init__(self, env): self.env = env
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"attempted to get missing private attribute '{name}'")
        return getattr(self.env, name)
    def step(self, action): return self.env.step(action)
    def reset(self, **kwargs): return self.env.reset(**kwargs)
    @property
    def unwrapped(self): return self.env.unwrapped
""",
    "envs/__init__.py": "from gym.envs.registration import make, register\n",
    "envs/registration.py": """
from gym.core import Wrapper
known = {}
class Spec:
    def __init__(self, id, entry_point): self.id, self.entry_point, self._kwargs = id, entry_point, {}
class TimeLimit(Wrapper):
    def __init__(self, env, limit): super().__init__(env); self._max_episode_steps = limit
    def reset(self, **kwargs): self.elapsed = 0; return self.env.reset(**kwargs)
    def step(self, action):
        obs, reward, done, info = self.env.step(action)
        self.elapsed += 1
        if self.elapsed >= self._max_episode_steps:
            info["TimeLimit.truncated"], done = not done, True
        return obs, reward, done, info
def register(id, entry_point): known[id] = entry_point
def make(id, **kwargs):
    env = known[id](**kwargs)
    env.spec = Spec(id, known[id])
    return TimeLimit(env, 4)
""",
}

OLD_SCRIPT = """
import json
import gym
import numpy as np

class Walk(gym.Env):
    np_random = np.random.RandomState(3)
    def reset(self):
        self.place = 0
        return np.zeros(2)
    def step(self, action):
        self.place += 1
        return np.full(2, self.place), 0.5, self.place == action, {}

gym.register("Walk-v0", Walk)
env = gym.make("Walk-v0")
for action in (2, 9, 4):
    env.reset()
    done = False
    while not done:
        _, _, done, _ = env.step(action)
env.reset()
"""


def test_the_old_four_values_of_a_step_are_understood(tmp_path: Path) -> None:
    for name, text in OLD_GYM.items():
        file = tmp_path / "old" / "gym" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    done = record(tmp_path, OLD_SCRIPT, more_path=str(tmp_path / "old"))
    assert done.stderr == ""
    assert episodes_of(done) == [
        [2, 1.0, "terminated"], [4, 2.0, "truncated"], [4, 2.0, "terminated"], [0, 0.0, "cut"],
    ]  # fmt: skip
    check_steps(done)
    reset = done.events("reset")[0]
    assert (reset["env"]["api"], reset["env"]["id"], reset["env"]["module"]) == ("gym", "Walk-v0", "__main__")
    assert reset["env"]["max_episode_steps"] == 4
    assert reset["rng"]["kind"] == "RandomState"


PINNED = """
import json, sys
import numpy as np
import {name} as gym

def single(env, episodes):
    counted = []
    for number in range(episodes):
        env.reset(seed=5) if number == 0 else env.reset()
        steps, over = 0, False
        while not over:
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            steps, over = steps + 1, terminated or truncated
        counted.append([steps, float(steps), "terminated" if terminated else "truncated"])
    return counted

def many(envs):
    envs.reset(seed=1)
    counted, lengths = [], np.zeros(2, int)
    for _ in range(80):
        _, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
        lengths += 1
        for i in range(2):
            if terminated[i] or truncated[i]:
                outcome = "terminated" if terminated[i] else "truncated"
                counted.append([int(lengths[i]), float(lengths[i]), outcome])
                lengths[i] = 0
    envs.close()
    return counted

def make():
    return gym.make("CartPole-v1", max_episode_steps=25)

if __name__ == "__main__":
    counted = single(gym.wrappers.RecordEpisodeStatistics(make()), 3)
    counted += many(gym.vector.SyncVectorEnv([make] * 2)) + many(gym.vector.AsyncVectorEnv([make] * 2))
    for mode in ("custom", "sync", "async") if hasattr(gym, "make_vec") else ():
        counted += many(gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode=mode))
    print(json.dumps(sorted(counted)))
"""


@pytest.mark.frameworks
@pytest.mark.parametrize(("environment", "name"), [("gymnasium029", "gymnasium"), ("gym026", "gym")])
def test_versions_people_still_pin_are_recorded_exactly(tmp_path: Path, environment: str, name: str) -> None:
    done = record(tmp_path, PINNED.replace("{name}", name), python=str(python_of(environment)))
    assert done.code == 0, done.stderr
    assert "mosaic: " not in done.stderr
    assert sorted(episode for episode in episodes_of(done) if episode[2] != "cut") == done.said
    check_steps(done)
