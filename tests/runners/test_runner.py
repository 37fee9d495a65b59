"""How a job becomes the command line of a driver."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic.protocol.cards import Job, RunnerCard
from mosaic.runners.runner import Careful, Discovering, DriverRunner, Runner, Telling, driver_words

FULL: dict[str, Any] = {
    "runner": "r",
    "algorithm": "ppo",
    "env_id": "CartPole-v1",
    "seed": 0,
    "steps": 500,
    "envs": 4,
    "parameters": {"lr": 0.5},
    "arguments": ["--extra", "word"],
    "group": "g",
    "resume": "01RUN",
    "init": "/a/init.zip",
    "checkpoint": "/a/last.zip",
    "sha256": "ab",
    "episodes": 7,
    "checkout": "/a/checkout",
    "session": None,
}


def test_every_field_of_a_training_is_written_and_what_only_an_evaluation_needs_is_not() -> None:
    assert set(FULL) == {*Job.__struct_fields__} - {"kind"}, "a new field: say here how a driver is told"
    assert driver_words(Job(**FULL)) == [
        "train", "--algo", "ppo", "--env", "CartPole-v1", "--seed", "0", "--steps", "500", "--envs", "4",
        "--init", "/a/init.zip", "--resume", "01RUN", "--checkout", "/a/checkout",
        "--checkpoint", "/a/last.zip", "--sha256", "ab", "lr=0.5", "--extra", "word",
    ]  # fmt: skip


def test_an_evaluation_is_told_its_episodes_and_neither_steps_nor_environments_at_once() -> None:
    words = driver_words(Job(**FULL, kind="eval"))
    assert words[0] == "eval"
    assert words[words.index("--episodes") + 1] == "7"
    assert not {"--steps", "--envs", "--init", "--resume"} & set(words)


def test_what_was_not_said_is_left_to_the_driver() -> None:
    assert driver_words(Job(runner="r")) == ["train"]
    assert driver_words(Job(runner="r", envs=1, algorithm="", seed=None)) == ["train"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (1e-05, "1e-05"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1.0, "1.0"),
        ("MlpPolicy", "MlpPolicy"),
        ("", ""),
        ([64, "x"], '[64,"x"]'),
        ({"a": None}, '{"a":null}'),
    ],
)
def test_a_value_is_written_so_that_nothing_of_it_is_lost(value: object, text: str) -> None:
    assert driver_words(Job(runner="r", parameters={"p": value})) == ["train", f"p={text}"]


def test_a_driver_runner_is_a_runner_and_promises_nothing_more() -> None:
    card = RunnerCard(id="mine", title="Mine")
    runner = DriverRunner(card, module="mine.driver")
    assert isinstance(runner, Runner)
    assert not isinstance(runner, Discovering | Careful | Telling)
    assert runner.card is card
    job = Job(runner="mine", seed=3)
    assert runner.command(job, python="/p") == ["/p", "-m", "mine.driver", "train", "--seed", "3"]
