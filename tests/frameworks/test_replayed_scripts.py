"""Replay of what only real frameworks do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.envs import python_of
from tests.replay.recorded import record
from tests.replay.test_resimulator import judge

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(900)]

TENSORS = """
import gymnasium as gym
import numpy as np
import torch

class Glide(gym.Env):
    observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = gym.spaces.Box(-1, 1, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.count = torch.zeros(2), 0
        return self.at.numpy(), {}

    def step(self, action):
        self.count += 1
        self.at = torch.cat([self.at[:1], action[1:]]) + action.clamp(-0.5, 0.5)
        return self.at.numpy(), action.sum().item(), self.count == 5, False, {}

if __name__ == "__main__":
    torch.manual_seed(1)
    env = Glide()
    for _ in range(2):
        env.reset(seed=3)
        while not env.step(torch.rand(2) * 2 - 1)[2]:
            pass
"""


def test_actions_that_were_tensors_are_given_as_tensors_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    verdicts = judge(record(home, TENSORS, python=python_of("sb3")), "__main__")
    assert [(one.status, one.way) for one in verdicts] == [("exact", "alone, actions as tensors")] * 2
