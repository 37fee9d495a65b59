"""Tabular learning as a driver does it: in a process of its own, with what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mosaic_worker.drivers.tabular import DEFAULTS, epsilon_at
from tests.daemons import until

pytestmark = pytest.mark.timeout(600)
SOURCE = Path(__file__).parents[3] / "src"
LAKE = ("--env", "FrozenLake-v1", "env.is_slippery=false")


def start(folder: Path, *words: str, site: Path = SOURCE) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    env = {**os.environ, "MOSAIC_RUN_DIR": str(folder), "PYTHONPATH": f"{site}{os.pathsep}{SOURCE}"}
    return subprocess.Popen(
        [sys.executable, "-m", "mosaic_worker.drivers.tabular", *words],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def drive(folder: Path, *words: str, site: Path = SOURCE) -> SimpleNamespace:
    with start(folder, *words, site=site) as process:
        out, err = process.communicate(timeout=300)
    return SimpleNamespace(code=process.returncode, out=out, err=err)


def only(folder: Path, reason: str) -> Path:
    (found,) = (folder / "checkpoints").glob(f"{reason}-*")
    return found


def about(path: Path) -> dict[str, object]:
    with np.load(path, allow_pickle=False) as held:
        found: dict[str, object] = json.loads(bytes(held["about"]))
    return found


@pytest.mark.parametrize("algorithm", ["q_learning", "sarsa"])
def test_the_small_lake_is_solved_and_evaluated(tmp_path: Path, algorithm: str) -> None:
    done = drive(tmp_path / "train", "train", "--algo", algorithm, "--seed", "4", *LAKE)
    assert (done.code, done.err) == (0, "")
    final = only(tmp_path / "train", "final")
    played = drive(
        tmp_path / "eval", "eval", "--checkpoint", str(final), "--episodes", "3", "--seed", "0", *LAKE
    )
    assert played.code == 0, played.err
    assert "mean return 1.00 ± 0.00 (standard deviation, 3 episodes)" in played.out


def test_no_episode_is_begun_that_would_have_no_step(tmp_path: Path) -> None:
    made = tmp_path / "resets.txt"
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit\n"
        "from gymnasium.wrappers import TimeLimit\n"
        "count, timed = [0], TimeLimit.reset\n"
        "def counted(self, **given):\n"
        "    count[0] += 1\n"
        "    return timed(self, **given)\n"
        "TimeLimit.reset = counted\n"
        f"atexit.register(lambda: open({str(made)!r}, 'w').write(str(count[0])))\n"
    )
    done = drive(tmp_path / "train", "train", "--algo", "q_learning", "--seed", "4", "--steps", "7", *LAKE,
                 "env.max_episode_steps=1", site=tmp_path)  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert made.read_text() == "7"


def test_what_is_told_at_the_end_is_of_the_episodes_that_ended(tmp_path: Path) -> None:
    done = drive(tmp_path / "train", "train", "--algo", "q_learning", "--seed", "4", "--steps", "7", *LAKE,
                 "env.max_episode_steps=2")  # fmt: skip
    assert (done.code, done.err) == (0, "")
    # The nearest hole is two steps from the start, the goal is farther: every episode has two steps.
    assert "done at step 7, mean return 0.000 over the last 3 episodes" in done.out


def test_a_stopped_training_leaves_a_checkpoint_it_goes_on_from(tmp_path: Path) -> None:
    first = tmp_path / "first"
    with start(first, "train", "--algo", "q_learning", "--steps", "90000000", "--seed", "1",
               "checkpoint_every=2000", *LAKE) as process:  # fmt: skip
        until(lambda: list((first / "checkpoints").glob("step-*")), timeout_secs=300)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (130, "")
    stop = only(first, "stop")
    step = about(stop)["step"]
    assert isinstance(step, int)
    assert f"stopped at step {step}" in out
    again = drive(
        tmp_path / "again", "train", "--algo", "q_learning", "--resume", str(stop), "--steps", "500", *LAKE
    )
    assert again.code == 0, again.err
    assert (
        f"at step {step}: it holds table, step count, random generator; not the environment state"
        in again.out
    )
    assert about(only(tmp_path / "again", "final"))["step"] == step + 500


def test_a_resumed_training_makes_for_where_the_first_one_was_going(tmp_path: Path) -> None:
    drive(
        tmp_path / "a",
        "train",
        "--algo",
        "sarsa",
        "--steps",
        "1000",
        "--seed",
        "1",
        "checkpoint_every=400",
        *LAKE,
    )
    (halfway,) = (tmp_path / "a" / "checkpoints").glob("step-000000400.npz")
    drive(tmp_path / "b", "train", "--algo", "sarsa", "--resume", str(halfway), *LAKE)
    assert about(only(tmp_path / "b", "final"))["step"] == 1000


def test_a_warm_start_takes_the_table_and_nothing_else(tmp_path: Path) -> None:
    drive(tmp_path / "a", "train", "--algo", "q_learning", "--steps", "5000", "--seed", "1", *LAKE)
    source = only(tmp_path / "a", "final")
    done = drive(
        tmp_path / "b", "train", "--algo", "q_learning", "--init", str(source), "--steps", "1",
        "learning_rate=1e-9", *LAKE,
    )  # fmt: skip
    assert "begin anew" in done.out
    final = only(tmp_path / "b", "final")
    assert about(final)["step"] == 1
    with np.load(source) as old, np.load(final) as new:
        assert np.allclose(old["table"], new["table"], atol=1e-6)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "--algo", "dqn", *LAKE], "tabular has no algorithm 'dqn'"),
        (["train", "--algo", "sarsa", *LAKE, "lr=1"], "tabular has no parameter 'lr'"),
        (["train", "--algo", "sarsa", *LAKE, "--envs", "2"], "one environment at a time"),
        (["train", "--algo", "sarsa", "--env", "CartPole-v1"], "needs Discrete observations"),
        (["train", "--algo", "sarsa", "--env", "FrozenLake-v1", "env.colour=3"], "env.colour=3"),
        (["train", "--algo", "sarsa", "--env", "FrozenLak-v1"], "cannot make 'FrozenLak-v1'"),
        (["eval", "--env", "FrozenLake-v1"], "--checkpoint is missing"),
    ],
)
def test_what_cannot_be_learned_is_refused_with_exit_code_2(
    tmp_path: Path, words: list[str], said: str
) -> None:
    done = drive(tmp_path, *words)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_checkpoint_of_another_lake_is_refused_with_the_way_out(tmp_path: Path) -> None:
    drive(tmp_path / "a", "train", "--algo", "sarsa", "--steps", "10", *LAKE)
    done = drive(
        tmp_path / "b",
        "eval",
        "--env",
        "FrozenLake8x8-v1",
        "--checkpoint",
        str(only(tmp_path / "a", "final")),
    )
    assert done.code == 2
    assert "trained on FrozenLake-v1 with Discrete(16)" in done.err
    assert "--env FrozenLake-v1" in done.err


@pytest.mark.parametrize("schedule", ["linear", "exponential"])
def test_exploration_falls_from_its_start_to_its_end(schedule: str) -> None:
    settings = SimpleNamespace(**{**DEFAULTS, "epsilon_schedule": schedule})
    values = [epsilon_at(part / 10, settings) for part in range(11)]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1.0
    assert values[6:] == pytest.approx([0.01] * 5)
    assert epsilon_at(0.5, SimpleNamespace(**{**DEFAULTS, "epsilon_fraction": 0})) == 0.01
