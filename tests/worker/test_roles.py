"""Training and evaluation are told apart by who calls, then by name; what nobody says is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mosaic_worker.roles import COLLECTS, EVAL, NEITHER, TRAIN, of_call, of_name
from tests.worker.reading import Outcome, record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("module", "function", "role"),
    [
        ("cleanrl_utils.evals.dqn_eval", "evaluate", EVAL),
        ("stable_baselines3.common.evaluation", "evaluate_policy", EVAL),
        ("stable_baselines3.ppo.ppo", "learn", TRAIN),
        ("tianshou.trainer", "_collect_test_episodes", EVAL),
        ("tianshou.trainer", "_collect_training_data", TRAIN),
        ("mosaic_worker.drivers.tabular", "run", TRAIN),
        ("torchrl.collectors._single", "rollout", COLLECTS),
        ("torchrl.collectors._evaluator", "_run_eval", EVAL),
        ("torchrl.envs.common", "rollout", None),
        ("ray.rllib.utils.pre_checks.env", "check_multiagent_environments", NEITHER),
        ("mosaic_worker.replay.branch", "run", None),
        ("my_script", "learn", None),
    ],
)
def test_what_the_name_of_a_function_says(module: str, function: str, role: str | None) -> None:
    assert of_call(module, function) == role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("eval_env", EVAL), ("test_envs", EVAL), ("_eval_env", EVAL), ("env_test", EVAL),
        ("train_envs", TRAIN),
        ("env", None), ("testenvironmental", None), ("test_collector", None), ("latest_env", None),
    ],
)  # fmt: skip
def test_what_the_name_of_a_variable_says(name: str, role: str | None) -> None:
    assert of_name(name) == role


def roles_of(done: Outcome) -> list[Any]:
    assert done.stderr == ""
    return [reset.get("role") for reset in done.events("reset")]


def test_an_environment_kept_under_a_telling_name_is_of_that_role(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
import gymnasium as gym
def play(env):
    env.reset()
    env.reset()
class Agent:
    def __init__(self):
        self.env = gym.make("CartPole-v1")
def main():
    test_env = gym.wrappers.ClipReward(gym.make("CartPole-v1"), -1, 1)
    play(test_env)
env, eval_env = gym.make("CartPole-v1"), gym.make("CartPole-v1")
play(env)
play(eval_env)
main()
play(Agent().env)
""",
    )
    assert roles_of(done) == [None, None, EVAL, EVAL, EVAL, EVAL, None, None]


def test_the_innermost_caller_that_says_it_decides(tmp_path: Path) -> None:
    package = tmp_path / "libs" / "stable_baselines3"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "def learn(env, then):\n    env.reset()\n    then(env)\n    env.reset()\n"
    )
    done = record(
        tmp_path,
        """
import gymnasium as gym, stable_baselines3
def evaluate(env):
    env.reset()
env = gym.make("CartPole-v1")
stable_baselines3.learn(env, evaluate)
env.reset()
""",
        more_path=str(tmp_path / "libs"),
    )
    assert roles_of(done) == [TRAIN, EVAL, TRAIN, None]


@pytest.mark.parametrize("kind", ["Sync", "Async"])
def test_members_of_a_vector_environment_have_the_role_of_its_name(tmp_path: Path, kind: str) -> None:
    done = record(
        tmp_path,
        f"""
import gymnasium as gym
if __name__ == "__main__":
    envs = gym.vector.{kind}VectorEnv([lambda: gym.make("CartPole-v1")] * 2)
    test_envs = gym.vector.{kind}VectorEnv([lambda: gym.make("CartPole-v1")] * 2)
    for one in (envs, test_envs):
        one.reset()
        one.close()
""",
    )
    assert sorted(roles_of(done), key=str) == [None, None, EVAL, EVAL]


def test_a_vector_environment_and_several_agents_have_roles_too(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
import gymnasium as gym
class MultiAgentEnv(gym.Env):
    def reset(self, *, seed=None, options=None):
        return {"a": 0}, {}
eval_envs = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="vector_entry_point")
eval_envs.reset()
eval_env = MultiAgentEnv()
eval_env.reset()
""",
    )
    assert roles_of(done) == [EVAL] * 3


def test_what_is_played_to_check_an_environment_is_neither_training_nor_evaluation(tmp_path: Path) -> None:
    package = tmp_path / "libs" / "stable_baselines3"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def learn(env, then):\n    then(env)\n    env.reset()\n")
    done = record(
        tmp_path,
        """
import gymnasium as gym, stable_baselines3
def check_env(env):
    env.reset()
train_env = gym.make("CartPole-v1")
check_env(train_env)
train_env.reset()
stable_baselines3.learn(gym.make("CartPole-v1"), check_env)
""",
        more_path=str(tmp_path / "libs"),
    )
    assert roles_of(done) == [None, TRAIN, None, TRAIN]


def test_a_collector_trains_unless_somebody_further_out_evaluates(tmp_path: Path) -> None:
    package = tmp_path / "libs" / "torchrl" / "collectors"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "def rollout(env):\n    env.reset()\ndef _main_async_collector(env):\n    rollout(env)\n"
    )
    done = record(
        tmp_path,
        """
import gymnasium as gym
from torchrl.collectors import rollout, _main_async_collector
def evaluate(env):
    rollout(env)
env = gym.make("CartPole-v1")
for play in (rollout, evaluate, _main_async_collector):
    play(env)
""",
        more_path=str(tmp_path / "libs"),
    )
    assert roles_of(done) == [TRAIN, EVAL, None]


def test_an_environment_that_is_part_of_a_module_has_the_role_of_the_modules_name(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
import gymnasium as gym
class Module:
    def __init__(self, **parts):
        self._modules = parts
inner = gym.make("CartPole-v1")
test_env = Module(base_env=Module(_env=inner))
inner.reset()
""",
    )
    assert roles_of(done) == [EVAL]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_members_in_other_processes_are_told_what_the_callers_of_the_whole_say(
    tmp_path: Path, method: str
) -> None:
    package = tmp_path / "libs" / "stable_baselines3"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def learn(envs):\n    envs.reset()\n")
    done = record(
        tmp_path,
        f"""
import gymnasium as gym, stable_baselines3
def make():
    return gym.make("CartPole-v1", max_episode_steps=1)
def evaluate(envs):
    envs.reset()
if __name__ == "__main__":
    envs = gym.vector.AsyncVectorEnv([make], context="{method}")
    for begin in (gym.vector.AsyncVectorEnv.reset, evaluate, stable_baselines3.learn):
        begin(envs)
        envs.step([0])
        envs.step([0])  # it begins its next episode by itself
    envs.close()
""",
        more_path=str(tmp_path / "libs"),
    )
    assert roles_of(done) == [None, None, EVAL, EVAL, TRAIN, TRAIN]
