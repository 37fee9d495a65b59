"""Real frameworks under our hooks, without a daemon: the journal says what the scripts counted themselves."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.envs import python_of
from tests.recording import Recorded, assert_as_counted, expectation, record

SCRIPTS = Path(__file__).parents[1] / "scripts"
pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(900)]


def run(tmp_path: Path, environment: str, script: str) -> Recorded:
    done = record([python_of(environment), SCRIPTS / script], folder=tmp_path, timeout_secs=300)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize(
    ("environment", "script"),
    [("sb3", "sb3_ppo.py"), ("cleanrl", "single_file_ppo.py"), ("cleanrl", "single_file_dqn.py")],
)
def test_a_training_script_is_recorded_exactly(tmp_path: Path, environment: str, script: str) -> None:
    done = run(tmp_path, environment, script)
    expected = expectation(done.stderr)
    assert_as_counted(expected, episodes=done.episodes(), first_steps=[], metrics=done.of("metric"))
    saved = [Path(event["path"]).name for event in done.of("checkpoint")]
    assert saved == expected["checkpoints"]
    assert len(done.of("step")) == sum(row["steps"] for row in expected["episodes"])
    assert len(done.of("artifacts")) == 1
    assert done.hook_errors == {}
    assert "mosaic: " not in done.stderr


def test_sb3_says_what_it_was_told(tmp_path: Path) -> None:
    (config,) = run(tmp_path, "sb3", "sb3_ppo.py").of("config")
    assert (config["algo"], config["env_id"], config["seed"]) == ("PPO", "CartPole-v1", 1)
    args = config["args"]
    assert (args["n_steps"], args["batch_size"], args["n_epochs"], args["total_timesteps"]) == (
        256,
        64,
        2,
        1024,
    )
    assert (args["gamma"], args["clip_range"]) == (0.99, 0.2)


def test_hyperparameters_written_as_text_are_config(tmp_path: Path) -> None:
    (config,) = run(tmp_path, "cleanrl", "single_file_ppo.py").of("config")
    assert (config["env_id"], config["seed"]) == ("CartPole-v1", 1)
    assert config["args"]["lr"] == 2.5e-4


def test_an_environment_of_the_script_itself_trains_in_sb3s_worker_processes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        dedent(
            """
            import gymnasium as gym
            import numpy as np
            from stable_baselines3 import PPO
            from stable_baselines3.common.vec_env import SubprocVecEnv

            class Own(gym.Env):
                observation_space = gym.spaces.Box(-1, 1, (2,))
                action_space = gym.spaces.Discrete(2)

                def reset(self, *, seed=None, options=None):
                    super().reset(seed=seed)
                    self.left = 5
                    return np.zeros(2, np.float32), {}

                def step(self, action):
                    self.left -= 1
                    return np.zeros(2, np.float32), float(action), self.left == 0, False, {}

            if __name__ == "__main__":
                envs = SubprocVecEnv([Own, Own])
                PPO("MlpPolicy", envs, n_steps=32, batch_size=16, n_epochs=1, device="cpu").learn(64)
                envs.close()
            """
        )
    )
    done = record([python_of("sb3"), script], folder=tmp_path, timeout_secs=300)
    assert done.returncode == 0, done.stderr
    assert done.hook_errors == {}
    assert len(done.of("step")) == 64
    assert [row["steps"] for row in done.episodes() if row["outcome"] == "terminated"] == [5] * 12


@pytest.mark.parametrize("api", ["gymnasium", "gym", "dm"])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_envpool_is_recorded_exactly_in_each_of_its_apis(tmp_path: Path, api: str, mode: str) -> None:
    done = record([python_of("envpool"), SCRIPTS / "envpool_play.py", api, mode], folder=tmp_path)
    assert done.returncode == 0, done.stderr
    counted = expectation(done.stderr)["episodes"]
    recorded = [
        {"env_index": row["env_index"], "steps": row["steps"], "return": row["return"]}
        for row in done.episodes()
        if row["outcome"] != "cut"
    ]
    assert len(counted) > 20
    assert sorted(map(str, recorded)) == sorted(map(str, counted))
    assert len({event["group"] for event in done.of("reset")}) == 1
    assert done.hook_errors == {}
