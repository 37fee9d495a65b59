"""Rewards and flags in whatever shape they come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mosaic_worker.shapes import flag, numbers, per_agent, several


class Tensor:
    """What a tensor has of an array."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def tolist(self) -> Any:
        return self.values


@pytest.mark.parametrize(
    "over",
    [
        True, 1, np.True_, np.array([True]), [True], (1,), [[True], [True]], {"a": True},
        {"a": False, "__all__": True}, Tensor([True]),
    ],
)  # fmt: skip
def test_flags_that_say_it_is_over(over: Any) -> None:
    assert flag(over) is True


@pytest.mark.parametrize(
    "not_yet",
    [
        False, 0, None, np.False_, np.array([False]), [False], [], {}, [True, False],
        {"a": True, "b": False}, {"a": True, "__all__": False},
    ],
)  # fmt: skip
def test_flags_that_say_it_is_not_over(not_yet: Any) -> None:
    assert flag(not_yet) is False


def test_rewards_by_name_or_as_many_rewards_as_flags_are_of_several_agents() -> None:
    assert several({"a": 1.0}, False, False)
    assert several([1.0, 2.0], [False, True], [False, False])
    assert several(np.ones(2), False, np.zeros(2, bool))
    assert not several([1.0, 2.0], True, False)
    assert not several(np.ones(3), [True], [False])
    assert not several(1.0, [True, False], False)


def test_values_are_dealt_out_to_agents_by_name_by_place_or_the_same_to_all() -> None:
    assert per_agent({"b": 1}, ["a", "b"]) == {"b": 1}
    assert per_agent([1, 2], ["a", "b"]) == {"a": 1, "b": 2}
    assert per_agent([1, 2, 3], ["a", "b"]) == {"a": [1, 2, 3], "b": [1, 2, 3]}
    assert per_agent(np.array(7), ["a"]) == {"a": np.array(7)}


def test_numbers_come_in_the_order_of_the_array() -> None:
    assert numbers(np.arange(6).reshape(2, 3)) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert numbers([[1], [2, "x"]]) is None
