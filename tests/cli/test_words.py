from __future__ import annotations

import pytest

from mosaic.cli.words import read, split_target
from mosaic.errors import UsageError
from mosaic.protocol.cards import Algorithm, Parameter

ALGORITHM = Algorithm(
    id="ppo",
    parameters=[
        Parameter(name="learning_rate", type="float", default=0.1),
        Parameter(name="normalize", type="bool", default=False),
    ],
)


@pytest.mark.parametrize(
    "words",
    [
        ["CartPole-v1", "--learning-rate", "0.5"],
        ["CartPole-v1", "--learning-rate=0.5"],
        ["CartPole-v1", "--learning_rate", "0.5"],
        ["learning_rate=0.5", "CartPole-v1"],
        ["CartPole-v1", "learning-rate:0.5"],
    ],
)
def test_a_parameter_may_be_written_in_every_usual_way(words: list[str]) -> None:
    found = read(words, ALGORITHM)
    assert found.env_id == "CartPole-v1"
    assert {name.replace("-", "_"): value for name, value in found.parameters.items()} == {
        "learning_rate": "0.5"
    }


def test_a_negative_value_is_a_value() -> None:
    assert read(["E", "--learning-rate", "-0.5"], ALGORITHM).parameters == {"learning-rate": "-0.5"}


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["--normalize", "E"], "true"), (["E", "--normalize"], "true"), (["--no-normalize", "E"], "false"),
        (["--normalize", "no", "E"], "no"), (["--normalize=1", "E"], "1"),
    ],
)  # fmt: skip
def test_a_yes_or_no_needs_no_value(words: list[str], value: str) -> None:
    found = read(words, ALGORITHM)
    assert (found.env_id, found.parameters) == ("E", {"normalize": value})


def test_a_module_in_an_environment_id_is_no_parameter() -> None:
    assert read(["my_envs:Maze-v0", "env.size:8"], ALGORITHM).env_id == "my_envs:Maze-v0"
    assert read(["my_envs:Maze-v0", "env.size:8"], ALGORITHM).parameters == {"env.size": "8"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["E", "--leraning-rate"], r"no option or parameter 'leraning-rate'. Did you mean 'learning_rate'\?"),
        (["E", "--learning-rate"], "needs a value"),
        (["E", "--step"], r"Did you mean 'steps'\?"),
        (["E", "F"], r"what is 'F'\? The environment is E"),
        (["E", "-x"], "no option '-x'"),
        (["E", "normalize=1", "--normalize"], "twice"),
    ],
)
def test_a_word_that_means_nothing_is_refused(words: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read(words, ALGORITHM)


def test_runner_and_algorithm_are_split_at_the_first_slash() -> None:
    assert split_target("sb3/ppo") == ("sb3", "ppo")
    assert split_target("script") == ("script", "")
