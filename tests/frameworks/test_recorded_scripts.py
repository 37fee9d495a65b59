"""Real frameworks under our hooks, without a daemon: the journal says what the scripts counted themselves."""

from __future__ import annotations

from pathlib import Path

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
