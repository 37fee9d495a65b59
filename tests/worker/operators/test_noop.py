from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.operators import Seat
from mosaic_worker.operators.noop import Noop
from mosaic_worker.session.fitting import nothing
from mosaic_worker.session.outcome import Outcome
from mosaic_worker.session.view import View
from mosaic_worker.session.worlds import SingleWorld


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        (gym.spaces.Discrete(4), 0),
        (gym.spaces.Discrete(4, start=3), 3),
        (gym.spaces.Box(-1, 1, (2,)), [0, 0]),
        (gym.spaces.Box(2, 3, (2,)), [2, 2]),
        (gym.spaces.Box(-3, -1, (1,)), [-1]),
        (gym.spaces.MultiDiscrete([2, 3]), [0, 0]),
        (gym.spaces.MultiDiscrete([2, 3], start=[1, 5]), [1, 5]),
        (gym.spaces.MultiBinary(3), [0, 0, 0]),
    ],
)
def test_nothing_is_an_action_of_the_space(space: Any, expected: Any) -> None:
    found = nothing(space)
    assert space.contains(found)
    assert np.asarray(found).tolist() == expected


def test_nothing_of_several_spaces_is_nothing_of_each() -> None:
    space = gym.spaces.Dict(
        {"a": gym.spaces.Discrete(2), "b": gym.spaces.Tuple([gym.spaces.Discrete(3, start=1)])}
    )
    assert nothing(space) == {"a": 0, "b": (1,)}
    assert space.contains(nothing(space))


def test_a_space_without_a_nothing_is_refused_with_a_way_out() -> None:
    with pytest.raises(TypeError, match="such as random"):
        nothing(gym.spaces.Text(5))


@pytest.mark.parametrize(("mask", "expected"), [([1, 1, 0], 0), ([0, 0, 1], 2), (None, 0)])
def test_under_a_mask_it_does_the_first_that_is_legal(mask: Any, expected: int) -> None:
    noop = Noop()
    noop.begin(Seat("", gym.spaces.Discrete(3), 0))
    info = {} if mask is None else {"action_mask": np.array(mask, np.int8)}
    assert noop.act(View(SingleWorld(None), "", Outcome(0, info=info), 0, 0.0)).action == expected
