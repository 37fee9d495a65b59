"""Environments that return a value per agent, or vectors: recorded as their scripts count them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.worker.reading import Outcome, record

if TYPE_CHECKING:
    from pathlib import Path

DICTS = """
import gymnasium as gym, json
import numpy as np

class MultiAgentEnv(gym.Env):
    "As RLlib's: whoever is to act next is in the observations."

class Pair(MultiAgentEnv):
    def reset(self, *, seed=None, options=None):
        self.t = 0
        return {"a": np.zeros(2), "b": np.zeros(2)}, {}

    def step(self, actions):
        self.t += 1
        agents = list(actions)
        obs = {agent: np.full(2, float(self.t)) for agent in agents}
        rewards = {agent: float(self.t) for agent in agents}
        ended = {"a": self.t >= 3, "b": False, "__all__": False}
        cut = {"a": False, "b": False, "__all__": self.t >= 5}
        return obs, rewards, ended, cut, {}
"""


def episodes_of(done: Outcome) -> list[list[Any]]:
    return [[e.get("agent_id"), e["steps"], e["return"], e["outcome"]] for e in done.events("episode")]


def no_errors(done: Outcome) -> None:
    assert done.code == 0, done.stderr
    assert all("hook_errors" not in bye for bye in done.events("bye")), done.stderr


def test_a_step_that_returns_dicts_is_a_step_of_each_agent(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        DICTS
        + """
env = Pair()
for _ in range(2):
    obs, _ = env.reset(seed=3)
    living = list(obs)
    while living:
        obs, r, ended, cut, _ = env.step({agent: 7 for agent in living})
        living = [] if cut["__all__"] else [agent for agent in living if not ended[agent]]
""",
    )
    no_errors(done)
    one = [["a", 3, 6.0, "terminated"], ["b", 5, 15.0, "truncated"]]
    assert episodes_of(done) == one * 2
    resets = done.events("reset")
    assert [r["agent_id"] for r in resets] == ["a", "b", "a", "b"]
    assert resets[0]["group"] == resets[1]["group"] != resets[2]["group"]
    assert [r.get("seed") for r in resets] == [3] * 4
    assert resets[0]["env"]["agents"] == ["a", "b"]
    steps = [s for s in done.events("step") if s["episode_id"] == resets[1]["episode_id"]]
    assert [(s["step"], s["turn"], s["action"], s["agent_id"]) for s in steps] == [
        (turn, turn, 7, "b") for turn in range(5)
    ]


def test_agents_that_take_turns_are_paid_for_their_step_when_they_see_again(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        DICTS
        + """
class Turns(Pair):
    def reset(self, *, seed=None, options=None):
        self.t = 0
        return {"a": 0}, {}

    def step(self, actions):
        self.t += 1
        (agent,) = actions
        other = "b" if agent == "a" else "a"
        over = self.t == 4
        return {other: self.t}, {"a": 1.0, "b": 10.0}, {"__all__": over}, {"__all__": False}, {}

env = Turns()
obs, _ = env.reset()
over = False
while not over:
    obs, _, ended, _, _ = env.step({next(iter(obs)): 0})
    over = ended["__all__"]
""",
    )
    no_errors(done)
    assert episodes_of(done) == [["a", 2, 4.0, "terminated"], ["b", 2, 40.0, "terminated"]]
    rewards = [(s["agent_id"], s["turn"], s["reward"]) for s in done.events("step")]
    assert rewards == [("a", 0, 2.0), ("b", 1, 30.0), ("a", 2, 2.0), ("b", 3, 10.0)]


def test_dicts_of_a_class_of_nobodys_are_noticed_at_the_first_step(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        DICTS.replace("class Pair(MultiAgentEnv)", "class Pair(gym.Env)")
        + """
Pair.observation_space = gym.spaces.Dict({})
for env in (Pair(), Pair()):
    env.reset()
    for _ in range(5):
        env.step({"a": 0, "b": 0} if env.t < 3 else {"b": 0})
""",
    )
    no_errors(done)
    one = [["a", 3, 6.0, "terminated"], ["b", 5, 15.0, "truncated"]]
    assert episodes_of(done) == [[None, 0, 0.0, "cut"], *one, *one]


LISTS = """
import gymnasium as gym, numpy as np, json
class Flock(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (2, 3))
    def reset(self, *, seed=None, options=None):
        self.t = 0
        return np.zeros((2, 3)), {}
    def step(self, action):
        self.t += 1
        return np.full((2, 3), self.t), [1.0, 2.0], KIND([self.t == 2, self.t == 3]), KIND([False, False]), {}
env = Flock()
for _ in range(2):
    env.reset()
    for _ in range(3):
        env.step([4, 5])
env.close()
"""


@pytest.mark.parametrize("kind", ["list", "np.array"])
def test_lists_with_an_item_per_agent_are_steps_of_each_agent(tmp_path: Path, kind: str) -> None:
    done = record(tmp_path, LISTS.replace("KIND", kind))
    no_errors(done)
    one = [["0", 2, 2.0, "terminated"], ["1", 3, 6.0, "terminated"]]
    assert [e for e in episodes_of(done) if e[1]] == one * 2
    assert {s["agent_id"]: s["action"] for s in done.events("step")} == {"0": 4, "1": 5}


def test_an_old_gym_step_with_dicts_is_a_step_of_each_agent(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        DICTS
        + """
class Old(Pair):
    def step(self, actions):
        obs, rewards, ended, cut, info = super().step(actions)
        return obs, rewards, {**ended, "__all__": cut["__all__"]}, info

env = Old()
env.reset()
for _ in range(5):
    env.step({"a": 0, "b": 0} if env.t < 3 else {"b": 0})
""",
    )
    no_errors(done)
    assert episodes_of(done) == [["a", 3, 6.0, "terminated"], ["b", 5, 15.0, "terminated"]]


@pytest.mark.parametrize("wrapping", ["[{}]", "({},)", "np.array([{}])", "np.array([[{}]])"])
def test_one_number_in_a_list_or_an_array_is_that_number(tmp_path: Path, wrapping: str) -> None:
    reward, flag = wrapping.format("1.5"), wrapping.format("self.t == 4")
    done = record(
        tmp_path,
        f"""
import gymnasium as gym, numpy as np, warnings
warnings.simplefilter("error")
class Wrapped(gym.Env):
    def reset(self, *, seed=None, options=None):
        self.t = 0
        return 0, {{}}
    def step(self, action):
        self.t += 1
        return 0, {reward}, {flag}, {wrapping.format("False")}, {{}}
env = Wrapped()
env.reset()
for _ in range(4):
    env.step(0)
""",
    )
    no_errors(done)
    assert episodes_of(done) == [[None, 4, 6.0, "terminated"]]


def test_a_vector_of_rewards_is_recorded_whole_and_its_return_is_the_sum(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
import gymnasium as gym, numpy as np
class Objectives(gym.Env):
    def __init__(self):
        self.paid = np.zeros(3, "f4")
    def reset(self, *, seed=None, options=None):
        self.t = 0
        return 0, {}
    def step(self, action):
        self.t += 1
        self.paid[:] = [self.t, -1, 0.5]
        return 0, self.paid, self.t == 2, False, {}
env = Objectives()
env.reset()
for _ in range(2):
    env.step(0)
""",
    )
    no_errors(done)
    assert episodes_of(done) == [[None, 2, 2.0, "terminated"]]
    assert [(s["reward"], s["rewards"]) for s in done.events("step")] == [
        (0.5, [1, -1, 0.5]),
        (1.5, [2, -1, 0.5]),
    ]


def test_what_cannot_be_recorded_is_counted_and_noted_at_once(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
import gymnasium as gym, os
class Odd(gym.Env):
    def reset(self, *, seed=None, options=None):
        return 0, {}
    def step(self, action):
        return 0, "much", False, False, {}
env = Odd()
env.reset()
env.step(0)
env.step(0)
import mosaic_worker
if os.fork() == 0:
    mosaic_worker.current().close()
    os._exit(0)
os.wait()
""",
    )
    assert [bye["hook_errors"] for bye in done.events("bye") if "hook_errors" in bye] == [{"reward": 2}]
    (note,) = done.events("log")
    assert note["level"] == "warning"
    assert "str" in note["text"]
    kinds = [event["type"] for event in done.events()]
    assert kinds.index("log") < kinds.index("step")


def test_members_of_rllibs_vector_environment_are_known_by_their_position(tmp_path: Path) -> None:
    package = tmp_path / "libs" / "ray" / "rllib" / "env" / "vector"
    package.mkdir(parents=True)
    (package / "sync_vector_multi_agent_env.py").write_text(
        "class SyncVectorMultiAgentEnv:\n"
        "    def __init__(self, env_fns, copy=True):\n"
        "        self.envs = [env_fn() for env_fn in env_fns]\n"
    )
    done = record(
        tmp_path,
        DICTS
        + """
from ray.rllib.env.vector.sync_vector_multi_agent_env import SyncVectorMultiAgentEnv
gym.register("Pair-v0", entry_point=Pair, disable_env_checker=True)
for env in SyncVectorMultiAgentEnv(lambda: gym.make("Pair-v0") for _ in range(2)).envs:
    env.reset()
    env.step({"a": 1, "b": 1})
""",
        more_path=str(tmp_path / "libs"),
    )
    no_errors(done)
    found = [(reset.get("env_index", 0), reset["agent_id"]) for reset in done.events("reset")]
    assert found == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
