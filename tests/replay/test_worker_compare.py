from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mosaic_worker.replay.compare import difference, flags_of, of_step
from mosaic_worker.values import plain

VALUES: list[Any] = [
    3,
    2.5,
    -0.0,
    math.nan,
    math.inf,
    "text",
    np.float32(0.1),
    np.arange(6, dtype=np.int16).reshape(2, 3),
    np.array(1.5),
    np.zeros(4000, np.uint8),
    {"a": np.ones(2), "b": 1},
    (np.ones(2), "x"),
    np.array([True, False]),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_the_same_as_its_own_record(value: Any) -> None:
    assert difference(plain(value), value) is None


@pytest.mark.parametrize(
    ("was", "now", "what"),
    [
        (np.array([1.0, 2.0]), np.array([1.0, 2.5]), "obs[1]"),
        (np.zeros((2, 2)), np.array([[0.0, 0.0], [-0.0, 0.0]]), "obs[1,0]"),
        (np.zeros(2, np.float32), np.zeros(2), "obs"),
        (np.zeros(3), np.zeros(4), "obs"),
        (np.zeros(2000), np.ones(2000), "obs"),
        (np.zeros((2, 1000)), np.zeros((1000, 2)), "obs"),
        (np.zeros(2000, np.int64), np.zeros(2000), "obs"),
        ({"a": 1}, {"a": 2}, "obs.a"),
        ({"a": 1}, {"b": 1}, "obs"),
        ({"a": 1}, {"a": 1, "b": 1}, "obs"),
        ({"a": 1, "b": 1}, {"a": 1}, "obs"),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 1}}, "obs.a"),
        ((1, 2), (1, 3), "obs[1]"),
        ((1, 2), (1, 2, 3), "obs"),
        (1, 2, "obs"),
        (0.0, -0.0, "obs"),
        (np.zeros(2), None, "obs"),
    ],
)
def test_a_difference_is_found_where_it_is(was: Any, now: Any, what: str) -> None:
    found = difference(plain(was), now)
    assert found is not None
    assert found["what"] == what
    assert found["recorded"] != found["now"]


class Opaque:
    pass


def test_of_what_was_not_recorded_whole_only_the_type_is_compared() -> None:
    assert difference(plain(Opaque()), Opaque()) is None
    found = difference(plain(Opaque()), object())
    assert found is not None
    assert (found["what"], "Opaque" in found["recorded"], "Opaque" in found["now"]) == ("obs", True, False)
    assert difference(plain(Opaque()), {"a": 1}) is not None


def test_a_step_is_compared_by_reward_then_flags_then_observation() -> None:
    recorded = [1.0, 2, plain(np.ones(1))]
    assert of_step(recorded, np.ones(1), np.float32(1), flags_of(False, True)) is None
    assert (of_step(recorded, np.ones(1), 1.5, 2) or {})["what"] == "reward"
    assert of_step(recorded, np.ones(1), 1.0, 1) == {"what": "terminated", "recorded": "no", "now": "yes"}
    assert (of_step(recorded, np.zeros(1), 1.0, 2) or {})["what"] == "obs[0]"
    assert of_step(["NaN", 0, None], object(), math.nan, 0) is None


def test_a_vector_of_rewards_is_compared_component_by_component() -> None:
    recorded = [[1.0, "NaN"], 0, None]
    assert of_step(recorded, 0, np.array([1.0, np.nan], "f4"), 0) is None
    assert of_step([1.5, 0, None], 0, np.array([1.5]), 0) is None
    for other in (np.array([1.0, 0.0]), np.array([1.0]), 1.0, [1.0, math.nan, 0.0]):
        assert (of_step(recorded, 0, other, 0) or {})["what"] == "reward"


def test_flags_in_a_list_count_as_what_they_say() -> None:
    assert flags_of([False], np.array([True])) == 2
