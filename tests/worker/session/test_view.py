from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from mosaic_worker.session.outcome import Outcome
from mosaic_worker.session.view import View
from mosaic_worker.session.worlds import SingleWorld


@pytest.mark.parametrize(
    ("observation", "info", "mask"),
    [
        ({"action_mask": [1, 0]}, {"action_mask": [0, 1]}, [1, 0]),
        ({"seen": 1}, {"action_mask": [0, 1]}, [0, 1]),
        (3, {"action_mask": [0, 1]}, [0, 1]),
        (3, {}, None),
        (3, None, None),
    ],
)
def test_the_mask_is_the_observations_or_else_the_infos(observation: Any, info: Any, mask: Any) -> None:
    view = View(SingleWorld(None), "", Outcome(observation, info=info), 0, 0.0)
    assert view.mask == mask
    own = isinstance(observation, dict) and "action_mask" in observation
    assert view.rule == (mask if own else None)  # what the info says is advice


def test_a_frame_is_drawn_when_it_is_asked_for() -> None:
    world = SingleWorld(gym.make("CartPole-v1", render_mode="rgb_array"))
    world.reset(seed=0)
    assert View(world, "", world.now, 0, 0.0).frame().shape == (400, 600, 3)
    world.close()
