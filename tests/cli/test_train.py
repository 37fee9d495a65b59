"""`mosaic train` with a real runner from another package, real children and a real daemon."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.app import run_index
from mosaic.rpc.launch import daemon_running
from mosaic.runs.folder import read_manifest
from tests.cli.asking import strict_json
from tests.runners.stand_in import PLAIN, offer, site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said

__all__ = ["site"]

SLEEPER = PLAIN.replace('"plain"', '"sleeper"').replace(
    '[python, "-c", TRAINER, *driver_words(job)]', '[python, "-c", "import time; time.sleep(600)"]'
)


@pytest.fixture
def plain(site: Path, root: DataRoot) -> DataRoot:
    """A data root, and the runner `plain` installed beside it."""
    offer(site, "plain", PLAIN)
    return root


def _nothing_started(root: DataRoot) -> bool:
    return not daemon_running(root) and not root.runs.exists()


def test_a_training_is_a_run_with_its_job_and_the_command_is_shown(
    plain: DataRoot, mosaic: Callable[..., Said]
) -> None:
    said = mosaic(
        "train", "plain/Random", "CartPole-v1", "--seed", "3", "--steps", "80", "--name", "first",
        "--tag", "kind=test", "--learning-rate", "0.5", "batch_size:64", "--runner-arg", "a",
        "--", "b", "--seed",
    )  # fmt: skip
    assert said.code == 0, said.err
    words = (
        "train --algo random --env CartPole-v1 --seed 3 --steps 80 learning_rate=0.5 batch_size=64 a b --seed"
    )
    assert f"trained {words}" in said.out
    assert "mosaic: $ " in said.err
    row = run_index.find(plain, "first")
    assert (row.state.value, row.runner, row.algorithm, row.steps) == ("finished", "plain", "random", 80)
    assert row.env_ids == ["CartPole-v1"]
    job = read_manifest(plain.run(row.run_id)).spec.job
    assert job is not None
    assert (job.seed, job.steps, job.parameters) == (3, 80, {"learning_rate": 0.5, "batch_size": 64})
    assert job.arguments == ["a", "b", "--seed"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["plain/random", "CartPol-v1"], "Did you mean CartPole-v1?"),
        (["plain/random", "Pendulum-v1"], "Random takes actions from Discrete"),
        (["plain/masked", "CartPole-v1"], "which actions are allowed"),
        (["plain/random", "CartPole-v1", "--python", "/nowhere/python"], "not a program"),
        (["plain/random"], "no environment is named"),
        (["plain/random", "CartPole-v1", "--resume", "last"], "cannot resume a stopped training"),
        (["plain/random", "CartPole-v1", "env.nonsense=1"], "cannot be made"),
    ],
)
def test_what_cannot_work_is_refused_and_nothing_is_started(
    plain: DataRoot, mosaic: Callable[..., Said], words: list[str], why: str
) -> None:
    said = mosaic("train", *words)
    assert said.code == 2
    assert why in said.err
    assert "nothing was started" in said.err
    assert _nothing_started(plain)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["pain/random", "CartPole-v1"], "Did you mean 'plain'?"),
        (["plain/randon", "CartPole-v1"], "Did you mean 'random'?"),
        (["plain/random", "CartPole-v1", "--leraning-rate", "1"], "Did you mean 'learning_rate'?"),
        (
            ["plain/random", "CartPole-v1", "batch_size=0"],
            "batch_size is a whole number >= 1 and <= 1024, not 0",
        ),
        (["plain/random", "CartPole-v1", "--seed", "1", "--seeds", "1-2"], "give one of them"),
        (["plain/random", "CartPole-v1", "--seeds", "2-1"], "not a range"),
        (["plain/random", "CartPole-v1", "--json"], "--dry-run or --detach"),
        (["--seed", "1"], "name the runner and the algorithm first"),
        (["script"], "say what to run"),
        (["script", "python"], "after '--'"),
        (["script/x", "--", "true"], "has no algorithms"),
    ],
)
def test_what_was_asked_wrongly_is_answered_with_what_may_be_meant(
    plain: DataRoot, mosaic: Callable[..., Said], words: list[str], why: str
) -> None:
    said = mosaic("train", *words)
    assert said.code == 2
    assert why in said.err
    assert _nothing_started(plain)


def test_a_disk_that_is_too_small_is_refused(
    plain: DataRoot, mosaic: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", str(1 << 40))
    said = mosaic("train", "plain/random", "CartPole-v1")
    assert said.code == 2
    assert "disk: " in said.err
    assert "disk_reserve_mib" in said.err
    assert _nothing_started(plain)


def test_a_framework_that_is_not_installed_is_refused_with_the_command_that_installs_it(
    site: Path, root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    offer(site, "plain", PLAIN.replace('imports=["gymnasium"]', 'requirements=["gymnasium==0.0.1"]'))
    said = mosaic("train", "plain/random", "CartPole-v1")
    assert said.code == 2
    assert "mosaic runners install plain" in said.err.replace("Mosaic", "mosaic")
    assert _nothing_started(root)


def test_a_dry_run_prints_the_exact_command_and_the_preflight(
    plain: DataRoot, mosaic: Callable[..., Said]
) -> None:
    said = mosaic("train", "plain/random", "CartPole-v1", "--dry-run", "--seeds", "4,7", "--json")
    found = strict_json(said.out)
    assert (said.code, found["ok"], found["seeds"]) == (0, True, [4, 7])
    assert found["command"][0] == sys.executable
    assert " ".join(found["command"][3:]) == "train --algo random --env CartPole-v1 --seed 4 --steps 60"
    assert {check["name"] for check in found["checks"]} >= {"environment", "spaces", "disk"}
    said = mosaic("train", "plain/random", "Pendulum-v1", "--dry-run")
    assert said.code == 2
    assert "--env Pendulum-v1" in said.out
    assert "fail  spaces" in said.out
    assert _nothing_started(plain)


def test_parameters_can_be_listed(plain: DataRoot, mosaic: Callable[..., Said]) -> None:
    said = mosaic("train", "plain/random", "--help-params")
    assert said.code == 0
    assert "learning_rate" in said.out
    assert "a whole number >= 1 and <= 1024" in said.out
    found = strict_json(mosaic("train", "plain/random", "--help-params", "--json").out)
    assert found["parameters"][0]["name"] == "learning_rate"
    assert mosaic("train", "script", "--help-params").code == 2
    del plain


def test_several_seeds_are_runs_of_one_group_and_it_stays_until_all_have_ended(
    plain: DataRoot, mosaic: Callable[..., Said]
) -> None:
    said = mosaic("train", "plain/random", "CartPole-v1", "--seeds", "1-3", "--name", "g", "--steps", "30")
    assert said.code == 0, said.err
    assert "3 of 3 runs finished" in said.err
    rows = run_index.rows(plain)
    assert sorted(row.name for row in rows) == ["g-s1", "g-s2", "g-s3"]
    assert len({row.group for row in rows}) == 1
    assert rows[0].group
    assert all("--seed" in row.command for row in rows)
    assert {row.steps for row in rows} == {30}


def test_detached_it_prints_the_ids_and_returns(plain: DataRoot, mosaic: Callable[..., Said]) -> None:
    said = mosaic("train", "plain/random", "CartPole-v1", "--seeds", "1,2", "--detach")
    assert said.code == 0
    assert sorted(said.out.split()) == sorted(row.run_id for row in run_index.rows(plain))
    found = strict_json(mosaic("train", "plain/random", "CartPole-v1", "-d", "--json").out)
    assert len(found["runs"]) == 1
    assert found["job"]["runner"] == "plain"


def test_any_command_is_a_runner_too(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    said = mosaic("train", "script", "--name", "s", "--", "sh", "-c", "echo $0 --seed 3; exit 5", "word")
    assert (said.code, said.out) == (5, "word --seed 3\n")
    assert run_index.find(root, "s").runner == "script"


def test_ctrl_c_stops_all_runs_of_a_group(site: Path, root: DataRoot) -> None:
    offer(site, "sleeper", SLEEPER)
    command = [sys.executable, "-m", "mosaic", "train", "sleeper/random", "CartPole-v1", "--seeds", "1-2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stderr is not None
        assert any("staying with 2 runs" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=100)
    assert process.returncode == 1, err
    assert "0 of 2 runs finished" in err
    assert {row.state.value for row in run_index.rows(root)} == {"stopped"}


@pytest.mark.parametrize("as_json", [True, False])
def test_a_dry_run_shows_no_secret(plain: DataRoot, mosaic: Callable[..., Said], *, as_json: bool) -> None:
    words = ["train", "plain/random", "CartPole-v1", "--dry-run", *(["--json"] if as_json else [])]
    said = mosaic(*words, "--", "--api-key", "canary", "--seed", "3")
    assert "canary" not in said.out + said.err
    assert "--api-key" in said.out


def test_without_a_plan_json_says_why_as_well(plain: DataRoot, mosaic: Callable[..., Said]) -> None:
    said = mosaic("train", "plain/random", "CartPol-v1", "--detach", "--json")
    assert said.code == 2
    found = json.loads(said.out)
    assert found["ok"] is False
    assert any(check["level"] == "fail" for check in found["checks"])
    assert _nothing_started(plain)


@pytest.mark.timeout(300)  # three trainings with their preflights, one after the other
def test_a_training_is_gone_on_with_as_it_was_and_knows_its_parent(
    root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    said = mosaic(
        "train", "tabular/q_learning", "FrozenLake-v1", "env.is_slippery=false", "--steps", "200",
        "--seed", "3", "--learning-rate", "0.3", "--name", "first",
    )  # fmt: skip
    assert said.code == 0, said.err
    said = mosaic("train", "--resume", "first", "--steps", "100", "--name", "second", "--gamma", "0.5")
    assert said.code == 0, said.err
    first, second = run_index.find(root, "first"), run_index.find(root, "second")
    assert (second.parent, second.runner, second.env_ids) == (first.run_id, "tabular", ["FrozenLake-v1"])
    job = read_manifest(root.run(second.run_id)).spec.job
    assert job is not None
    assert job.parameters == {"env.is_slippery": False, "learning_rate": 0.3, "gamma": 0.5}
    assert (job.seed, job.resume) == (3, first.run_id)
    said = mosaic(
        "train", "tabular/q_learning", "FrozenLake-v1", "--init", "first", "env.is_slippery=false", "-n9"
    )
    assert said.code == 0, said.err
    assert "--init" in said.err


def test_what_cannot_be_gone_on_with_is_refused(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    said = mosaic("train", "--resume", "nothing")
    assert said.code == 2
    assert _nothing_started(root)
    assert mosaic("train", "--resume", "last", "--seeds", "1-2").code == 2
    assert mosaic("train", "script", "--name", "plain-command", "--", "true").code == 0
    said = mosaic("train", "--resume", "plain-command")
    assert said.code == 2
    assert "cannot be resumed" in said.err
