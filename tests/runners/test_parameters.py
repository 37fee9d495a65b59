from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.errors import UsageError
from mosaic.protocol.cards import Algorithm, Parameter
from mosaic.runners.parameters import bounds, convert, env_arguments, near, parse

RATE = Parameter(
    name="learning_rate", type="float", default=0.1, minimum=0, exclusive_minimum=True, maximum=1
)
SIZE = Parameter(name="batch_size", type="int", default=32, minimum=1, maximum=1_000_000)
FLAG = Parameter(name="normalize", type="bool", default=False)
KIND = Parameter(name="policy", type="choice", default="Mlp", choices=["Mlp", "Cnn"])
NOTE = Parameter(name="note", type="str", default="")
GOAL = Parameter(name="goal", type="float", default=None, optional=True)
ALGORITHM = Algorithm(id="ppo", parameters=[RATE, SIZE, FLAG, KIND, NOTE, GOAL])


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (RATE, "1e-3", 0.001),
        (RATE, 1, 1.0),
        (SIZE, "64", 64),
        (SIZE, "1e5", 100_000),
        (SIZE, "10_000", 10_000),
        (SIZE, 8.0, 8),
        (FLAG, "yes", True),
        (FLAG, "OFF", False),
        (FLAG, True, True),
        (KIND, "cnn", "Cnn"),
        (NOTE, "none", "none"),
        (NOTE, " a b ", "a b"),
        (GOAL, "none", None),
        (GOAL, "-1.5", -1.5),
        (GOAL, "", None),
    ],
)
def test_a_text_becomes_a_typed_value(parameter: Parameter, text: Any, value: object) -> None:
    found = convert(parameter, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("parameter", "text", "why"),
    [
        (RATE, "0", "> 0 and <= 1, not 0.0"),
        (RATE, "1.5", "<= 1, not 1.5"),
        (RATE, "fast", "a number"),
        (RATE, "nan", "not nan"),
        (RATE, "", "needs a value"),
        (RATE, None, "needs a value"),
        (RATE, True, "a number"),
        (SIZE, "0", ">= 1"),
        (SIZE, "2.5", "a whole number"),
        (SIZE, "inf", "a whole number"),
        (FLAG, "maybe", "true or false, not 'maybe'"),
        (KIND, "Cn", "Did you mean 'Cnn'"),
        (KIND, "Rnn9", "Cnn, Mlp"),
    ],
)
def test_what_cannot_be_a_value_is_refused_with_what_could(parameter: Parameter, text: Any, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        convert(parameter, text)
    assert parameter.name in str(refused.value)
    assert why in str(refused.value)


def test_only_what_differs_from_the_defaults_is_kept() -> None:
    given_words = {"learning-rate": "0.1", "batch_size": "64", "normalize": "false", "policy": "Mlp"}
    assert parse(ALGORITHM, given_words) == {"batch_size": 64}


def test_an_unknown_parameter_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        UsageError, match=r"ppo has no parameter 'leraning_rate'. Did you mean 'learning_rate'\?"
    ):
        parse(ALGORITHM, {"leraning_rate": "1"})
    with pytest.raises(UsageError, match="Known: batch_size"):
        parse(ALGORITHM, {"zzz": "1"})
    with pytest.raises(UsageError, match="none at all"):
        parse(Algorithm(id="x"), {"y": 1})


def test_the_same_parameter_by_two_names_is_refused() -> None:
    with pytest.raises(UsageError, match="twice"):
        parse(ALGORITHM, {"learning_rate": "0.2", "learning-rate": "0.3"})


def test_arguments_of_the_environment_go_to_the_environment() -> None:
    found = parse(ALGORITHM, {"env.is_slippery": "false", "env.size": "8", "batch_size": 2})
    assert found == {"env.is_slippery": False, "env.size": 8, "batch_size": 2}
    assert env_arguments(found) == {"is_slippery": False, "size": 8}
    with pytest.raises(UsageError):
        parse(ALGORITHM, {"env.": "1"})


def test_bounds_are_said_in_words() -> None:
    assert bounds(RATE) == "a number > 0 and <= 1"
    assert bounds(KIND) == "one of Mlp, Cnn"
    assert bounds(GOAL) == "a number, or none"
    assert bounds(FLAG) == "true or false"


def test_near_names_the_nearest_whatever_the_case() -> None:
    assert near("PPO", ["ppo", "dqn"]) == " Did you mean 'ppo'?"
    assert near("x", []) == ""


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-300, max_value=1))
def test_every_float_survives_being_written(value: float) -> None:
    assert convert(RATE, repr(value)) == value
