from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.replay.recorded import record

if TYPE_CHECKING:
    from pathlib import Path

SINGLE = """
import gymnasium as gym
from mosaic_worker.standing import standing_of
env = gym.make("CartPole-v1")
print(standing_of(env, ""))
env.reset(seed=1)
print(standing_of(env, "").step)
env.step(0); env.step(1)
print(standing_of(env, "").step, standing_of(env, "").episode_id[-4:])
"""
ZOO = """
from pettingzoo.classic import tictactoe_v3
from mosaic_worker.standing import standing_of
env = tictactoe_v3.env()
env.reset(seed=1)
found = []
for move in (0, 1, 2):
    env.last()
    here = standing_of(env, env.agent_selection)
    found.append((here.episode_id.rpartition(":")[2], here.step))
    env.step(move)
print(found)
"""
VECTOR = """
import gymnasium as gym, numpy as np
from mosaic_worker.standing import standing_of
env = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="vector_entry_point")
env.reset(seed=1)
env.step(np.array([0, 1]))
print(*(f"{standing_of(env, at).episode_id[-4:]}@{standing_of(env, at).step}" for at in (0, 1)))
"""
DICTS = """
import gymnasium as gym
from mosaic_worker.standing import standing_of
class Pair(gym.Env):
    possible_agents = agents = ["a", "b"]
    observation_space = action_space = gym.spaces.Discrete(9)
    def reset(self, *, seed=None, options=None):
        return {"a": 0, "b": 0}, {}
    def step(self, action):
        return {name: 1 for name in action}, {name: 1.0 for name in action}, {}, {}, {}
env = Pair()
env.reset(seed=1)
env.step({"a": 1})
print(*(f"{standing_of(env, name).episode_id[-6:]}@{standing_of(env, name).step}" for name in ("a", "b")))
"""
BARE = """
import gymnasium as gym
from mosaic_worker.standing import standing_of
class Own(gym.Env): pass
print(standing_of(Own(), ""))
"""


def said(home: Path, script: str) -> list[str]:
    home.mkdir(mode=0o700)
    return record(home, script, to_stdout=True).stdout.read_text().splitlines()


def test_the_open_episode_and_its_next_step(tmp_path: Path) -> None:
    assert said(tmp_path / "home", SINGLE) == ["None", "0", "2 e0.0"]


def test_each_agent_has_an_episode_of_its_own(tmp_path: Path) -> None:
    (line,) = said(tmp_path / "home", ZOO)
    assert json.loads(line.replace("(", "[").replace(")", "]").replace("'", '"')) == [
        ["player_1", 0],
        ["player_2", 0],
        ["player_1", 1],
    ]


def test_each_position_of_a_vector_environment_has_an_episode_of_its_own(tmp_path: Path) -> None:
    assert said(tmp_path / "home", VECTOR) == ["e0.0@1 e0.1@1"]


def test_each_agent_of_dicts_has_an_episode_of_its_own(tmp_path: Path) -> None:
    assert said(tmp_path / "home", DICTS) == ["e0.0:a@1 e0.0:b@0"]


def test_an_environment_that_was_never_reset_has_none(tmp_path: Path) -> None:
    assert said(tmp_path / "home", BARE) == ["None"]
