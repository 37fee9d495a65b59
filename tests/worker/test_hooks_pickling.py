"""Hooked classes still travel to other processes, by value too, and record where they arrive."""

from __future__ import annotations

import sys
from textwrap import dedent
from typing import TYPE_CHECKING

from tests.recording import record

if TYPE_CHECKING:
    from pathlib import Path


def test_an_environment_class_of_the_main_script_works_in_spawned_processes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        dedent(
            """
            import gymnasium as gym
            import numpy as np

            class Own(gym.Env):
                observation_space = gym.spaces.Discrete(3)
                action_space = gym.spaces.Discrete(2)

                def reset(self, *, seed=None, options=None):
                    super().reset(seed=seed)
                    return 0, {}

                def step(self, action):
                    return 1, 1.0, False, False, {}

            if __name__ == "__main__":
                envs = gym.vector.AsyncVectorEnv([Own, Own], context="spawn")
                envs.reset(seed=1)
                envs.step(np.array([0, 1]))
                envs.close()
            """
        )
    )
    done = record([sys.executable, script], folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mosaic: " not in done.stderr
    assert done.hook_errors == {}
    assert sorted(step["action"] for step in done.of("step")) == [0, 1]
