"""What a job, a card and facts mean."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mosaic.protocol.cards import Algorithm, Capabilities, Check, Job, Parameter, RunnerCard
from mosaic.runners.decide import asked, decide, passed
from mosaic.runners.environments import Readiness
from mosaic.runners.facts import Facts
from mosaic.runners.probe import EnvFound, Findings, SpaceFound

GIB = 1 << 30
DISCRETE = Algorithm(
    id="dqn",
    title="DQN",
    actions=["Discrete"],
    observations=["Box"],
    parameters=[Parameter(name="buffer_size", type="int", default=1_000_000, minimum=1)],
)
CONTINUOUS = Algorithm(id="sac", title="SAC", actions=["Box"])
MASKED = Algorithm(id="masked", title="Masked", needs_action_masks=True)
CARD = RunnerCard(id="x", title="X", algorithms=[DISCRETE, CONTINUOUS, MASKED])
JOB = Job(runner="x", algorithm="dqn", env_id="CartPole-v1", steps=10_000)
COMMAND = RunnerCard(id="any", title="Any", needs_env=False)
COMMAND_JOB = Job(runner="any", arguments=["python", "train.py"], seed=3, group="g")
FOUND = Findings(
    python=[3, 11, 7],
    env=EnvFound(kind="ok", id="CartPole-v1"),
    action=SpaceFound(kind="Discrete", text="Discrete(2)", n=2),
    observation=SpaceFound(kind="Box", text="Box(4,)", bytes=16),
    masks=False,
    steps=20,
    render=True,
)
FACTS = Facts(
    readiness=Readiness(state="ready", python="/py", text="its own"),
    found=FOUND,
    disk_free=50 * GIB,
    disk_reserve=GIB,
    memory_available=8 * GIB,
)


def _facts(**changes: Any) -> Facts:
    fields = {name: changes.pop(name) for name in list(changes) if name in Facts.__struct_fields__}
    found = msgspec.structs.replace(FOUND, **changes) if changes else FOUND
    return msgspec.structs.replace(FACTS, **{"found": found, **fields})


def _level(checks: list[Check], name: str) -> str:
    return next(check.level for check in checks if check.name == name)


def _failed(checks: list[Check]) -> Check:
    (one,) = [check for check in checks if check.level == "fail"]
    return one


def _decide(algorithm: Algorithm = DISCRETE, card: RunnerCard = CARD, **changes: Any) -> list[Check]:
    job = msgspec.structs.replace(JOB, algorithm=algorithm.id)
    return decide(card, algorithm, job, _facts(**changes))


def test_when_all_is_well_everything_is_ok() -> None:
    checks = _decide()
    assert {check.level for check in checks} == {"ok"}
    assert passed(checks)
    assert {"interpreter", "environment", "spaces", "rendering", "disk", "memory"} <= {c.name for c in checks}


@pytest.mark.parametrize(
    ("changes", "name", "text", "remedy"),
    [
        (
            {"env": EnvFound(kind="unknown", text="no", near="CartPole-v1")},
            "environment",
            "there is no environment 'CartPole-v1'",
            "did you mean CartPole-v1?",
        ),
        ({"env": EnvFound(kind="unknown", text="no")}, "environment", "no environment", "module:Id-v0"),
        ({"env": EnvFound(kind="rom", text="no game")}, "environment", "ROM is missing (no game)", "ale-py"),
        (
            {"env": EnvFound(kind="dependency", text="no Box2D")},
            "environment",
            "no Box2D",
            "gymnasium[box2d]",
        ),
        (
            {"env": EnvFound(kind="no_gymnasium", text="x")},
            "environment",
            "no gymnasium",
            "pip install gymnasium",
        ),
        (
            {"env": EnvFound(kind="error", text="size")},
            "environment",
            "cannot be made: size",
            "correct the id",
        ),
        ({"env": None, "trouble": "was ended by SIGSEGV"}, "environment", "SIGSEGV", "another environment"),
        ({"env": EnvFound(kind="ok", agents=["a", "b"])}, "environment", "has 2 agents (a, b)", "one agent"),
        ({"step_error": "boom"}, "environment", "not stepped: boom", "another environment"),
        (
            {"steps": 0, "trouble": "ended with code 9"},
            "environment",
            "ended with code 9",
            "another environment",
        ),
        (
            {"action": SpaceFound(kind="Box", text="Box(2,)")},
            "spaces",
            "takes actions from Discrete",
            "do: sac",
        ),
        (
            {"observation": SpaceFound(kind="Tuple", text="T")},
            "spaces",
            "observations from Box",
            "do: sac, masked",
        ),
        ({"missing": {"torch": "gone"}}, "interpreter", "/py cannot import torch: gone", "pip install"),
        (
            {
                "readiness": Readiness(state="missing", text="not installed", remedy="install it"),
                "found": None,
            },
            "interpreter",
            "X: not installed",
            "install it",
        ),
        ({"disk_free": GIB}, "disk", "1.0 GiB free", "disk_reserve_mib"),
        ({"services": {"tcp://localhost:1": False}}, "service", "nothing answers there", "start it"),
    ],
)
def test_what_cannot_work_is_refused_with_the_reason_and_the_way_out(
    changes: dict[str, Any], name: str, text: str, remedy: str
) -> None:
    checks = _decide(**changes)
    one = _failed(checks)
    assert one.name == name
    assert text in one.text
    assert remedy in one.remedy
    assert not passed(checks)


def test_what_only_makes_it_worse_is_a_warning() -> None:
    checks = _decide(render=False, render_text="no screen", services={"a game server": None})
    assert (_level(checks, "rendering"), _level(checks, "service")) == ("warn", "warn")
    assert passed(checks)
    assert _level(_decide(disk_free=GIB + (100 << 20), measured_step_bytes=3000.0), "disk") == "warn"


def test_action_masks_are_asked_for_only_where_they_are_needed() -> None:
    assert _failed(_decide(MASKED)).name == "action masks"
    assert passed(_decide(MASKED, masks=True))


@pytest.mark.parametrize(
    ("wanted", "usable", "level"),
    [
        ("required", False, "fail"),
        ("required", True, "ok"),
        ("optional", False, "ok"),
        ("optional", True, "ok"),
    ],
)
def test_a_gpu_that_is_required_and_absent_is_refused_and_one_that_is_optional_is_not(
    wanted: Any, usable: bool, level: str
) -> None:
    card = msgspec.structs.replace(CARD, capabilities=Capabilities(gpu=wanted))
    checks = _decide(card=card, gpu=usable, gpu_text="this machine has no GPU")
    assert _level(checks, "gpu") == level
    if wanted == "optional" and not usable:
        assert "CPU: this machine has no GPU" in [check.text for check in checks]


def test_a_replay_buffer_larger_than_the_memory_is_a_warning() -> None:
    pictures = SpaceFound(kind="Box", text="Box(84, 84, 4)", bytes=84 * 84 * 4)
    job = msgspec.structs.replace(JOB, steps=10_000_000)
    assert _level(decide(CARD, DISCRETE, job, _facts(observation=pictures)), "memory") == "warn"
    small = msgspec.structs.replace(job, parameters={"buffer_size": 1000})
    assert _level(decide(CARD, DISCRETE, small, _facts(observation=pictures)), "memory") == "ok"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"parameters": {"bufer_size": 1}}, "Did you mean 'buffer_size'?"),
        ({"parameters": {"buffer_size": 0}}, ">= 1"),
        ({"envs": 4}, "one environment at a time"),
        ({"resume": "R"}, "cannot resume"),
        ({"init": "/c"}, "cannot start from a checkpoint"),
        ({"kind": "eval"}, "cannot evaluate"),
        ({"env_id": ""}, "no environment is named"),
        ({"steps": 0}, "are too few"),
    ],
)
def test_what_the_card_forbids_is_refused(changes: dict[str, Any], text: str) -> None:
    assert text in _failed(asked(CARD, msgspec.structs.replace(JOB, **changes), DISCRETE)).text


def test_an_algorithm_that_is_not_there_is_refused_with_the_reason() -> None:
    check = _failed(asked(CARD, JOB, None, problem="no such algorithm"))
    assert (check.name, check.text) == ("parameters", "no such algorithm")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steps": 100}, "--steps"),
        ({"envs": 4}, "--envs"),
        ({"resume": "R"}, "--resume"),
        ({"init": "/c"}, "--init"),
        ({"env_id": "CartPole-v1", "algorithm": "ppo"}, "--algo, --env"),
        ({"checkout": "/x"}, "--checkout"),
        ({"parameters": {"lr": 0.1}}, "lr=0.1"),
    ],
)
def test_what_a_command_of_the_users_own_would_never_hear_of_is_refused(
    changes: dict[str, Any], said: str
) -> None:
    job = msgspec.structs.replace(COMMAND_JOB, **changes)
    (check,) = asked(COMMAND, job, None)
    assert (check.level, check.text) == ("fail", f"Any is run as it stands and cannot be told {said}")
    assert "after '--'" in check.remedy
    assert asked(COMMAND, msgspec.structs.replace(job, kind="eval"), None) == []


def test_a_command_of_the_users_own_with_a_seed_is_fine() -> None:
    assert asked(COMMAND, COMMAND_JOB, None) == []
