"""Launches that are really tried."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from mosaic.paths import DataRoot
from mosaic.protocol.cards import Algorithm, Check, Job, RunnerCard
from mosaic.runners.decide import passed
from mosaic.runners.preflight import preflight

if TYPE_CHECKING:
    from pathlib import Path

CARD = RunnerCard(id="x", title="X", algorithms=[Algorithm(id="dqn", title="DQN", actions=["Discrete"])])
JOB = Job(runner="x", algorithm="dqn", env_id="CartPole-v1", steps=10_000)


class _Runner:
    def __init__(self, card: RunnerCard) -> None:
        self.card = card

    def command(self, job: Job, *, python: str) -> list[str]:
        return [python, job.algorithm]


def _failed(checks: list[Check]) -> Check:
    return next(check for check in checks if check.level == "fail")


def test_what_is_wrong_with_the_job_is_refused_before_any_child_is_started(home: Path) -> None:
    for changes, text in (
        ({"algorithm": "dnq"}, "Did you mean 'dqn'?"),
        ({"envs": 4}, "one environment at a time"),
    ):
        job = msgspec.structs.replace(JOB, **changes)
        checks = preflight(DataRoot(home), _Runner(CARD), job, python="/nowhere/python")
        assert text in _failed(checks).text
        assert "interpreter" not in [check.name for check in checks]


def test_a_command_without_algorithms_needs_no_interpreter_to_be_asked(home: Path) -> None:
    runner = _Runner(RunnerCard(id="any", title="Any", needs_env=False))
    checks = preflight(DataRoot(home), runner, Job(runner="any", arguments=["true"]), python=sys.executable)
    assert passed(checks)
    assert [check.name for check in checks] == ["interpreter", "disk", "memory"]


def test_a_preflight_of_a_real_environment_in_a_real_child(home: Path) -> None:
    runner = _Runner(CARD)
    root = DataRoot(home)
    assert passed(preflight(root, runner, JOB, python=sys.executable))
    pendulum = msgspec.structs.replace(JOB, env_id="Pendulum-v1")
    assert _failed(preflight(root, runner, pendulum, python=sys.executable)).name == "spaces"
    typo = msgspec.structs.replace(JOB, env_id="CartPol-v1")
    assert "CartPole-v1" in _failed(preflight(root, runner, typo, python=sys.executable)).remedy


def test_a_runner_may_have_checks_of_its_own(home: Path) -> None:
    class Careful(_Runner):
        def checks(self, job: Job, *, python: str) -> list[Check]:
            return [Check(name="own", level="fail", text=f"{job.env_id} in {python}")]

    checks = preflight(DataRoot(home), Careful(CARD), JOB, python=sys.executable)
    assert _failed(checks).text == f"CartPole-v1 in {sys.executable}"
