from __future__ import annotations

from typing import Any

import pytest

from mosaic.protocol.cards import Algorithm, Parameter, RunnerCard
from mosaic.runners.cards import problems


def _card(*algorithms: Algorithm, **fields: Any) -> RunnerCard:
    return RunnerCard(**{"id": "x", "title": "X", "algorithms": list(algorithms), **fields})


def _with(**fields: Any) -> RunnerCard:
    return _card(
        Algorithm(id="a", parameters=[Parameter(**{"name": "p", "type": "int", "default": 1, **fields})])
    )


def test_a_right_card_has_no_problems() -> None:
    card = _card(
        Algorithm(
            id="a",
            actions=["Discrete"],
            observations=["Box", "Dict"],
            parameters=[
                Parameter(name="p", type="float", default=0.5, minimum=0, maximum=1),
                Parameter(name="q", type="choice", default="u", choices=["u", "v"]),
                Parameter(name="r", type="float", default=None, optional=True),
            ],
        ),
        requirements=["gymnasium==1.4.0", "mine @ file:///x.whl"],
    )
    assert problems(card) == []


@pytest.mark.parametrize(
    ("card", "why"),
    [
        (object(), "its card is a object, not a RunnerCard"),
        (_card(id="a/b"), "the id 'a/b'"),
        (_card(title=""), "no title"),
        (_card(requirements=["numpy"]), "'numpy' is not pinned"),
        (_card(torch=True), "no requirements"),
        (_card(Algorithm(id="a"), Algorithm(id="A")), "algorithm 'a' is there 2 times"),
        (_card(Algorithm(id="a", actions=["Disc"])), "'Disc' is not a space"),
        (_card(Algorithm(id="a", default_steps=0)), "default_steps is 0"),
        (_card(Algorithm(id="a b")), "its id is not made of"),
        (_with(default=0, minimum=1), "its default does not fit: p is a whole number >= 1, not 0"),
        (_with(default="1"), "its default '1' is not a int"),
        (_with(default=None), "no default and is not optional"),
        (_with(minimum=3, maximum=2), "its minimum 3 is above its maximum 2"),
        (_with(type="bool", default=True, minimum=1), "bounds mean nothing for a bool"),
        (_with(type="choice", default="u"), "a choice among nothing"),
        (_with(type="vector"), "does not hold what a card holds"),
        (_with(name="a b"), "its name is not a word"),
    ],
)
def test_each_mistake_in_a_card_is_a_sentence(card: object, why: str) -> None:
    assert why in "; ".join(problems(card))


def test_a_parameter_that_is_there_twice_is_told_with_its_algorithm() -> None:
    one = Parameter(name="p", type="int", default=1)
    assert problems(_card(Algorithm(id="a", parameters=[one, one]))) == [
        "algorithm 'a': parameter 'p' is there 2 times"
    ]
