"""The runner `cleanrl`: what a checkout offers, the exact command, and what is refused before a launch."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from mosaic.errors import UsageError
from mosaic.protocol.cards import Job
from mosaic.runners import registry
from mosaic.runners.cards import problems
from mosaic.runners.own.cleanrl import RUNNER, folder_of
from mosaic.settings import Settings
from tests.frameworks.places import CHECKOUT

SCRIPT = "import {imports}\n\nclass Args:\n    env_id: str = 'CartPole-v1'\n    seed: int = 1\n"


def job(**fields: object) -> Job:
    given = {"algorithm": "ppo", "env_id": "CartPole-v1", "checkout": str(CHECKOUT), **fields}
    return Job(runner="cleanrl", **given)  # type: ignore[arg-type]


def checkout(tmp_path: Path, **sources: str) -> Path:
    folder = tmp_path / "checkout" / "cleanrl"
    folder.mkdir(parents=True)
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    return folder.parent


def test_every_script_of_the_checkout_is_an_algorithm() -> None:
    found = {each.id: each for each in RUNNER.discover(Settings(checkouts={"cleanrl": str(CHECKOUT)}))}
    assert sorted(found) == ["dqn", "ppo", "ppo_continuous_action"]
    assert (found["ppo"].actions, found["ppo"].observations) == (["Discrete"], ["Box"])
    assert (found["ppo_continuous_action"].actions, found["dqn"].default_steps) == (["Box"], 50_000)
    assert found["ppo_continuous_action"].default_env == "Pendulum-v1"


def test_without_a_checkout_there_are_no_algorithms_and_the_card_is_right() -> None:
    assert RUNNER.discover(Settings()) == []
    assert problems(RUNNER.card) == []


def test_the_registry_lists_it_with_what_it_found_and_says_when_nothing_is_named() -> None:
    runner = registry.find("cleanrl", Settings(checkouts={"cleanrl": str(CHECKOUT)}))
    assert registry.algorithm(runner, "dqn").id == "dqn"
    with pytest.raises(UsageError, match="Did you mean 'dqn'"):
        registry.algorithm(runner, "dqnn")
    with pytest.raises(UsageError, match="--checkout PATH"):
        registry.algorithm(registry.find("cleanrl", Settings()), "ppo")


def test_the_folder_with_the_scripts_may_be_named_itself() -> None:
    assert folder_of(str(CHECKOUT / "cleanrl")) == folder_of(str(CHECKOUT)) == CHECKOUT / "cleanrl"


def test_a_bad_file_costs_only_itself(tmp_path: Path) -> None:
    place = checkout(tmp_path, good=SCRIPT.format(imports="os"), broken="class Args(", helper="x = 1\n")
    assert [each.id for each in RUNNER.discover(Settings(checkouts={"cleanrl": str(place)}))] == ["good"]


def test_a_folder_without_scripts_is_refused_with_the_reason(tmp_path: Path) -> None:
    place = checkout(tmp_path, broken="class Args(")
    with pytest.raises(UsageError, match=r"holds no training script: broken\.py is not Python"):
        RUNNER.discover(Settings(checkouts={"cleanrl": str(place)}))
    with pytest.raises(UsageError, match="is not a folder"):
        RUNNER.discover(Settings(checkouts={"cleanrl": str(tmp_path / "nowhere")}))


def test_the_command_is_the_launcher_the_script_and_the_scripts_own_flags() -> None:
    asked = job(
        seed=3,
        steps=4000,
        envs=2,
        parameters={"learning_rate": 1e-3, "cuda": False},
        arguments=["--num-steps", "32"],
    )
    assert RUNNER.command(asked, python="/py") == [
        "/py",
        "-m",
        "mosaic_worker.drivers.cleanrl",
        "train",
        str(CHECKOUT / "cleanrl" / "ppo.py"),
        "--",
        "--env-id",
        "CartPole-v1",
        "--seed",
        "3",
        "--total-timesteps",
        "4000",
        "--num-envs",
        "2",
        "--learning-rate",
        "0.001",
        "--no-cuda",
        "--num-steps",
        "32",
    ]


def test_the_command_of_an_evaluation_names_checkout_and_checkpoint() -> None:
    command = RUNNER.command(job(kind="eval", checkpoint="/c.pt", episodes=3), python="/py")
    assert command[3] == "eval"
    assert command[command.index("--checkout") + 1] == str(CHECKOUT)
    assert command[command.index("--checkpoint") + 1] == "/c.pt"


def test_a_setting_the_script_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="takes no 'num_envs'"):
        RUNNER.command(job(algorithm="dqn", envs=4), python="/py")
    with pytest.raises(UsageError, match="no checkout"):
        RUNNER.command(job(checkout=""), python="/py")
    with pytest.raises(UsageError, match="cannot be read"):
        RUNNER.command(job(algorithm="sac"), python="/py")


def test_what_a_script_imports_must_be_there_also_through_its_own_checkout(tmp_path: Path) -> None:
    place = checkout(
        tmp_path,
        good=SCRIPT.format(imports="json, cleanrl_utils.fine"),
        lacking=SCRIPT.format(imports="cleanrl_utils.deep, no_such_package.part"),
    )
    utils = place / "cleanrl_utils"
    utils.mkdir()
    (utils / "fine.py").write_text("import json\nimport cleanrl_utils.fine\n")
    (utils / "deep.py").write_text("from no_other_package import thing\n")
    (fine,) = RUNNER.checks(job(algorithm="good", checkout=str(place)), python=sys.executable)
    assert (fine.level, fine.name) == ("ok", "script")
    (bad,) = RUNNER.checks(job(algorithm="lacking", checkout=str(place)), python=sys.executable)
    assert bad.level == "fail"
    assert "imports no_other_package, no_such_package, which" in bad.text
    assert "--python" in bad.remedy


def test_an_interpreter_that_cannot_be_asked_is_a_failed_check(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    shutil.copy("/bin/false", broken)
    for python in (str(broken), str(tmp_path / "nowhere")):
        (check,) = RUNNER.checks(job(), python=python)
        assert (check.level, check.name) == ("fail", "script")
