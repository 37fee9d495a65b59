"""Plans and trainings through the SDK, with a real runner and a real daemon."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

import mosaic
from mosaic.app import run_index, training
from mosaic.errors import LaunchRefusedError, UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.cards import Job
from mosaic.rpc.launch import daemon_running
from mosaic.runs.folder import read_manifest
from mosaic_worker.common.redact import MARK
from tests.daemons import Daemon, daemon
from tests.runners.stand_in import PLAIN, offer, site

if TYPE_CHECKING:
    pass

__all__ = ["daemon", "site"]

JOB = Job(runner="plain", algorithm="random", env_id="CartPole-v1", steps=40)


@pytest.fixture
def plain(site: Path, home: Path) -> DataRoot:
    """A data root, and the runner `plain` installed beside it."""
    offer(site, "plain", PLAIN)
    return DataRoot(home)


def test_a_plan_starts_nothing_and_has_the_exact_command(plain: DataRoot) -> None:
    job = Job(runner="plain", algorithm="RANDOM", env_id="CartPole-v1", parameters={"batch-size": "64"})
    found = training.plan(plain, job)
    assert found.ok
    assert (found.job.algorithm, found.job.steps, found.job.parameters) == ("random", 60, {"batch_size": 64})
    assert found.command[0] == sys.executable
    assert found.command[-1] == "batch_size=64"
    assert not daemon_running(plain)


def test_a_plan_that_cannot_work_says_so_and_still_has_its_command(plain: DataRoot) -> None:
    job = Job(runner="plain", algorithm="random", env_id="Pendulum-v1")
    found = training.plan(plain, job)
    assert not found.ok
    assert "Pendulum-v1" in found.command
    with pytest.raises(LaunchRefusedError, match="Nothing was started") as refused:
        training.train(plain, job)
    assert refused.value.exit_code == 2
    assert len(refused.value.checks) == len(found.checks)
    assert not daemon_running(plain)
    assert training.plan(plain, JOB, python="/nowhere/python").command == []


def test_a_training_is_a_run_with_its_job_and_needs_no_screen(site: Path, daemon: Daemon) -> None:
    offer(site, "plain", PLAIN.replace('print("trained"', 'import os; print(os.environ["SDL_VIDEODRIVER"]'))
    run = mosaic.connect().train(
        "plain/random",
        "CartPole-v1",
        seed=1,
        steps=40,
        name="n",
        tags={"a": "b"},
        parameters={"normalize": True},
    )
    end = run.wait(timeout_secs=60)
    assert end is not None
    assert end.code == 0, run.logs(stderr=True)
    assert run.logs().startswith("dummy")
    spec = read_manifest(daemon.root.run(run.id)).spec
    assert (spec.runner, spec.name, spec.tags) == ("plain", "n", {"a": "b"})
    assert spec.job == Job(
        runner="plain",
        algorithm="random",
        env_id="CartPole-v1",
        seed=1,
        steps=40,
        parameters={"normalize": True},
    )
    assert run.summary().steps == 40


def test_what_the_user_says_of_the_screen_counts_more_than_that_none_is_needed(
    site: Path, daemon: Daemon
) -> None:
    offer(site, "plain", PLAIN.replace('print("trained"', 'import os; print(os.environ["SDL_VIDEODRIVER"]'))
    run = mosaic.connect().train(
        "plain/random", "CartPole-v1", steps=1, env={**os.environ, "SDL_VIDEODRIVER": "of-the-user"}
    )
    run.wait(timeout_secs=60)
    assert run.logs().startswith("of-the-user")


def test_a_plan_for_another_seed_tells_its_command_that_seed(site: Path, home: Path) -> None:
    telling = """
    def variables(self, job):
        return {"SEED": str(job.seed)}

RUNNER = Plain()
"""
    offer(site, "plain", PLAIN.replace("\nRUNNER = Plain()\n", telling))
    root = DataRoot(home)
    first = training.plan(root, msgspec.structs.replace(JOB, seed=1))
    second = training.reseeded(root, first, 2)
    assert (first.variables, second.variables) == ({"SEED": "1"}, {"SEED": "2"})
    assert (second.job.seed, second.checks) == (2, first.checks)
    assert first.command != second.command


def test_several_seeds_are_one_group(site: Path, daemon: Daemon) -> None:
    offer(site, "plain", PLAIN)
    ids = training.train_seeds(daemon.root, JOB, [5, 3], name="s")
    rows = [run_index.row_of(daemon.root, run_id) for run_id in ids]
    assert [row.name for row in rows] == ["s-s5", "s-s3"]
    assert len({row.group for row in rows}) == 1
    jobs = [read_manifest(daemon.root.run(run_id)).spec.job for run_id in ids]
    assert [job.seed for job in jobs if job] == [5, 3]
    for run_id in ids:
        daemon.wait(run_id)


def test_seeds_that_are_none_are_refused(plain: DataRoot) -> None:
    for seeds in ([], [1, 1]):
        with pytest.raises(UsageError, match="seed"):
            training.train_seeds(plain, JOB, seeds)
    assert not daemon_running(plain)


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("1-5", [1, 2, 3, 4, 5]), ("3", [3]), ("1,2, 9", [1, 2, 9]), ("1-2,7-8", [1, 2, 7, 8])],
)
def test_seeds_are_written_as_people_write_them(text: str, seeds: list[int]) -> None:
    assert training.seeds_of(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "5-1", "1-", "-3", "1,1", "1-2000", "1.5", "1-3,2"])
def test_what_is_no_seed_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        training.seeds_of(text)


def test_a_job_from_a_record_says_which_secret_must_be_given_again(plain: DataRoot) -> None:
    for job in (
        msgspec.structs.replace(JOB, parameters={"env.api_key": MARK}),
        msgspec.structs.replace(JOB, arguments=["--api-key", MARK]),
    ):
        with pytest.raises(UsageError, match=r"was a secret, and secrets are not recorded: give it again"):
            training.plan(plain, job)
    named = msgspec.structs.replace(JOB, parameters={"env.api_key": MARK})
    with pytest.raises(UsageError, match=r"^env\.api_key was"):
        training.plan(plain, named)
