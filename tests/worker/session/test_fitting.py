from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.session.fitting import checked, described, fitted
from mosaic_worker.session.operator import OperatorError

BOX = gym.spaces.Box(-1, 1, (2,))


@pytest.mark.parametrize(
    ("action", "space"),
    [
        (2.0, gym.spaces.Discrete(3)),
        ([0.5, 1], BOX),
        ([1, 0], gym.spaces.MultiDiscrete([2, 2])),
        ([1, 0, 1], gym.spaces.MultiBinary(3)),
        ({"a": 1, "b": [0, 0]}, gym.spaces.Dict({"a": gym.spaces.Discrete(2), "b": BOX})),
        ([1, [0, 0]], gym.spaces.Tuple([gym.spaces.Discrete(2), BOX])),
    ],
)
def test_what_came_as_json_becomes_an_action_of_the_space(action: Any, space: Any) -> None:
    assert space.contains(fitted(json.loads(json.dumps(action)), space))


@pytest.mark.parametrize(
    ("action", "space"), [("left", gym.spaces.Discrete(3)), ([1], BOX), (1.5, gym.spaces.Discrete(3))]
)
def test_what_does_not_fit_stays_as_it_is_for_the_check_to_name(action: Any, space: Any) -> None:
    assert fitted(action, space) == action
    with pytest.raises(OperatorError, match="not an action of"):
        checked(fitted(action, space), space)


def test_an_illegal_action_is_refused_with_the_legal_ones() -> None:
    mask = np.array([0, 1, 1], np.int8)
    assert checked(4, gym.spaces.Discrete(3, start=3), mask) == 4
    with pytest.raises(OperatorError, match=r"3, which is not legal now; legal are \[4, 5\]"):
        checked(3, gym.spaces.Discrete(3, start=3), mask)


def test_an_array_is_an_action_of_its_space() -> None:
    checked(np.zeros(2, np.float32), BOX)
    with pytest.raises(OperatorError):
        checked(np.full(2, 3, np.float32), BOX)


def test_spaces_are_described_for_programs_without_gymnasium() -> None:
    told = described(
        gym.spaces.Dict({"a": gym.spaces.Discrete(2, start=1), "b": gym.spaces.Box(0, np.inf, (2,)),
                         "c": gym.spaces.Tuple([gym.spaces.MultiDiscrete([2, 3])])})
    )  # fmt: skip
    json.dumps(told, allow_nan=False)
    parts = told["spaces"]
    assert (parts["a"]["n"], parts["a"]["start"]) == (2, 1)
    assert (parts["b"]["low"], parts["b"]["high"], parts["b"]["dtype"]) == ([0, 0], [None, None], "float32")
    assert parts["c"]["spaces"][0]["nvec"] == [2, 3]
    assert "low" not in described(gym.spaces.Box(0, 255, (84, 84), np.uint8))
    assert described(None) is None
