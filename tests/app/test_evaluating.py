"""What an evaluation is asked to do, from what is known of a checkpoint."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mosaic.app import evaluating
from mosaic.artifacts import checkpoints
from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from tests.artifacts.saving import saved_run


@pytest.fixture
def root(home: Path) -> DataRoot:
    run = saved_run(DataRoot(home), name="first")
    run.save("final", b"x", step=5, reason="final", env_arguments={"is_slippery": False})
    run.end()
    return DataRoot(home)


def test_the_environment_and_its_arguments_are_those_of_the_training(root: DataRoot) -> None:
    known = checkpoints.find(root, "first")
    plan = evaluating.plan(root, known, episodes=4)
    assert plan.ok, plan.checks
    assert plan.command == [
        sys.executable, "-m", "mosaic_worker.drivers.tabular", "eval", "--algo", "sarsa", "--env",
        "FrozenLake-v1", "--seed", "0", "--checkpoint", str(known.path), "--sha256", str(known.row.sha256),
        "--episodes", "4", "env.is_slippery=false",
    ]  # fmt: skip
    assert plan.job.kind == "eval"


def test_arguments_can_be_given_and_do_not_follow_into_another_environment(root: DataRoot) -> None:
    known = checkpoints.find(root, "first")
    given = evaluating.plan(root, known, env_arguments={"env.is_slippery": "true"}, seed=3)
    assert given.job.parameters == {"env.is_slippery": True}
    assert given.job.seed == 3
    other = evaluating.plan(root, known, env_id="Taxi-v4")
    assert other.job.parameters == {}


def test_what_nobody_knows_must_be_said(root: DataRoot, tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    path.write_bytes(b"x")
    known = checkpoints.find(root, str(path))
    with pytest.raises(UsageError, match="--runner sb3/ppo --env"):
        evaluating.plan(root, known)
    with pytest.raises(UsageError, match="Say it: --env"):
        evaluating.plan(root, known, runner="tabular", algorithm="sarsa")
    plan = evaluating.plan(root, known, runner="tabular", algorithm="sarsa", env_id="FrozenLake-v1")
    assert plan.ok, plan.checks
    with pytest.raises(UsageError, match="at least one episode"):
        evaluating.plan(root, known, episodes=0)


def test_a_command_plays_what_any_run_saved_and_the_plan_names_the_run(root: DataRoot) -> None:
    known = checkpoints.find(root, "first")
    plan = evaluating.plan(root, known, command=["play", "{checkpoint}"], episodes=4)
    assert plan.command == ["play", str(known.path)]
    assert (plan.job.runner, plan.job.episodes, plan.job.seed) == ("script", 4, 0)
    assert plan.parent == known.run_id == evaluating.plan(root, known).parent
    with pytest.raises(UsageError, match="mosaic eval .* -- python play.py"):
        evaluating.plan(root, known, command=[])
