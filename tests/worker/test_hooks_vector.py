"""Vector environments: each position's episodes equal what the script saw, whoever does the stepping."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.worker.reading import Outcome, record
from tests.worker.test_hooks_gymnasium import check_steps

if TYPE_CHECKING:
    from pathlib import Path

COUNTING = """
import json
import numpy as np
import gymnasium as gym
from gymnasium.vector import AutoresetMode

def play(envs, steps, mode):
    "Counts episodes by position from what step returns, under each autoreset mode."
    envs.action_space.seed(3)
    n = envs.num_envs
    envs.reset(seed=5)
    totals, lengths, ended = np.zeros(n), np.zeros(n, int), np.zeros(n, bool)
    counted = []
    for _ in range(steps):
        obs, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
        for i in range(n):
            if mode == "next" and ended[i]:
                ended[i] = False
                continue
            totals[i] += rewards[i]
            lengths[i] += 1
            if terminated[i] or truncated[i]:
                outcome = "terminated" if terminated[i] else "truncated"
                counted.append([int(lengths[i]), float(totals[i]), outcome, i])
                totals[i], lengths[i], ended[i] = 0, 0, True
        if mode == "disabled" and ended.any():
            envs.reset(options={"reset_mask": ended.copy()})
            ended[:] = False
    envs.close()
    return sorted(counted)

def make():
    return gym.wrappers.RecordEpisodeStatistics(gym.make("CartPole-v1", max_episode_steps=30))
"""

MADE = {
    "sync": "gym.vector.SyncVectorEnv([make] * 3)",
    "async": "gym.vector.AsyncVectorEnv([make] * 3)",
    "spawned": "gym.vector.AsyncVectorEnv([make] * 3, context='spawn')",
    "native": "gym.make_vec('CartPole-v1', num_envs=3, max_episode_steps=30)",
    "wrapped native": "gym.wrappers.vector.RecordEpisodeStatistics("
    "gym.make_vec('CartPole-v1', num_envs=3, max_episode_steps=30))",
    "make_vec sync": "gym.make_vec('CartPole-v1', 3, vectorization_mode='sync', max_episode_steps=30)",
}


def whole_episodes(done: Outcome) -> list[list[Any]]:
    return sorted(
        [e["steps"], e["return"], e["outcome"], e["env_index"]]
        for e in done.events("episode")
        if e["outcome"] != "cut"
    )


def check(tmp_path: Path, made: str, mode: str) -> None:
    script = COUNTING + f"if __name__ == '__main__':\n    print(json.dumps(play({made}, 120, {mode!r})))"
    done = record(tmp_path, script)
    assert done.stderr == ""
    whole = whole_episodes(done)
    assert whole == done.said
    assert len(whole) > 6
    check_steps(done)
    assert len({reset["group"] for reset in done.events("reset")}) == 1
    firsts = Counter(r["episode_id"].rpartition(".")[0] for r in done.events("reset") if "env" in r)
    assert set(firsts.values()) == {1}


@pytest.mark.parametrize("kind", MADE)
def test_every_kind_of_vector_environment_is_recorded_exactly(tmp_path: Path, kind: str) -> None:
    check(tmp_path, MADE[kind], "next")


@pytest.mark.parametrize(("mode", "name"), [("same", "SAME_STEP"), ("disabled", "DISABLED")])
def test_every_autoreset_mode_is_understood(tmp_path: Path, mode: str, name: str) -> None:
    check(tmp_path, f"gym.vector.SyncVectorEnv([make] * 3, autoreset_mode=AutoresetMode.{name})", mode)


NATIVE = """
class Counter(gym.vector.VectorEnv):
    "Position i ends after i + 2 steps. Restarts in the mode it is told."
    def __init__(self, mode):
        self.num_envs = 3
        self.metadata = {"autoreset_mode": mode}
        self.single_observation_space = gym.spaces.Discrete(9)
        self.single_action_space = gym.spaces.Discrete(2)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, 3)
        self.mode = mode
    def reset(self, *, seed=None, options=None):
        mask = (options or {}).pop("reset_mask", np.ones(3, bool))  # as gymnasium's own take it out
        if mask.all():
            self.at = np.zeros(3, int)
        self.at[mask] = 0
        return self.at.copy(), {}
    def step(self, actions):
        self.at += 1
        over = self.at >= np.arange(3) + 2
        infos = {}
        if self.mode == AutoresetMode.SAME_STEP and over.any():
            infos = {"final_obs": np.array([int(p) if o else None for p, o in zip(self.at, over)], object)}
            self.at[over] = 0
        return self.at.copy(), np.ones(3), over, np.zeros(3, bool), infos
"""


@pytest.mark.parametrize(("mode", "name"), [("same", "SAME_STEP"), ("disabled", "DISABLED")])
def test_a_native_one_constructed_by_the_script_is_recorded_in_its_mode(
    tmp_path: Path, mode: str, name: str
) -> None:
    script = COUNTING + NATIVE + f"print(json.dumps(play(Counter(AutoresetMode.{name}), 30, {mode!r})))"
    done = record(tmp_path, script)
    assert done.stderr == ""
    assert whole_episodes(done) == done.said
    assert len(done.said) == 15 + 10 + 7
    check_steps(done)
    last = [step["obs"] for step in done.events("step") if step.get("terminated")]
    assert sorted(set(last)) == [2, 3, 4]  # the true last observation, not the next episode's first


def test_direct_environments_in_a_vector_learn_their_position(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import gymnasium as gym, numpy as np
        class Own(gym.Env):
            observation_space = gym.spaces.Discrete(2)
            action_space = gym.spaces.Discrete(2)
            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                return 0, {}
            def step(self, action):
                return 1, 1.0, False, False, {}
        envs = gym.vector.SyncVectorEnv([lambda: gym.wrappers.TimeLimit(Own(), 4)] * 2)
        envs.reset(seed=1)
        for _ in range(4):
            envs.step(np.array([0, 1]))
        """,
    )
    assert done.stderr == ""
    ended = sorted([e["env_index"], e["steps"], e["outcome"]] for e in done.events("episode"))
    assert ended == [[0, 4, "truncated"], [1, 4, "truncated"]]
