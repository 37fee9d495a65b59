from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from mosaic_worker.operators import Random, Seat
from mosaic_worker.session.outcome import Outcome
from mosaic_worker.session.view import View
from mosaic_worker.session.worlds import SingleWorld


def view(info: Any = None) -> View:
    return View(SingleWorld(None), "", Outcome(0, info=info), 0, 0.0)


def drawn(space: Any, seed: int | None, count: int = 50, info: Any = None) -> list[Any]:
    random = Random()
    random.begin(Seat("", space, seed))
    return [random.act(view(info)).action for _ in range(count)]


def test_it_draws_what_the_seeded_space_draws_and_leaves_the_space_alone() -> None:
    space = gym.spaces.Discrete(7, seed=1)
    expected = gym.spaces.Discrete(7, seed=3)
    assert drawn(space, 3) == [expected.sample() for _ in range(50)]
    assert space.sample() == gym.spaces.Discrete(7, seed=1).sample()
    assert drawn(space, 3) != drawn(space, 4)


def test_it_keeps_to_the_mask_of_whatever_type() -> None:
    for mask in ([0, 1, 0, 1], np.array([False, True, False, True])):
        assert set(drawn(gym.spaces.Discrete(4), 0, info={"action_mask": mask})) == {1, 3}


def test_a_space_without_a_common_mask_is_drawn_from_as_it_is() -> None:
    (one,) = drawn(gym.spaces.Box(0, 1, (2,)), 0, count=1, info={"action_mask": [1]})
    assert one.shape == (2,)
