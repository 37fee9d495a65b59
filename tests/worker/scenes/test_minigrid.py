"""MiniGrid: the click ahead does what there is to do there."""

from __future__ import annotations

import importlib
import random
from typing import Any

import gymnasium
import minigrid  # noqa: F401  (registers its environments)
import pytest

from mosaic.render import hit
from mosaic_worker.common.scene import Image, decode, encode
from tests.worker.scenes.playing import clicked, found, single, why_of

THINGS: Any = importlib.import_module("minigrid.core.world_object")  # which is not typed throughout
Ball, Box, Door, Goal, Key, Lava, Wall = (
    getattr(THINGS, name) for name in ("Ball", "Box", "Door", "Goal", "Key", "Lava", "Wall")
)


def empty(front: Any = None, *, carrying: Any = None, facing: int = 0) -> Any:
    """An agent in the middle of an empty room, with one thing ahead."""
    env = single("MiniGrid-Empty-8x8-v0")
    core = env.unwrapped
    core.agent_pos, core.agent_dir = (3, 3), facing
    core.grid.set(*core.front_pos, front)
    core.carrying = carrying
    return env


@pytest.mark.parametrize(
    "name",
    [
        "MiniGrid-DoorKey-8x8-v0",
        "MiniGrid-LavaGapS7-v0",
        "MiniGrid-UnlockPickup-v0",
        "MiniGrid-MultiRoom-N6-v0",
    ],
)
def test_walks_by_clicks_are_steps_the_environment_takes(name: str) -> None:
    env = single(name)
    dice = random.Random(5)
    for _ in range(200):
        scene = found(env)
        assert decode(encode(scene)) == scene
        offered = [hot for hot in scene.hot if hot.action is not None]
        _, _, terminated, truncated, _ = env.step(clicked(scene, dice.choice(offered)))
        if terminated or truncated:
            env.reset()
    env.close()


@pytest.mark.parametrize("facing", range(4))
def test_a_click_ahead_walks_there_and_one_aside_turns(facing: int) -> None:
    env = empty(facing=facing)
    core = env.unwrapped
    ahead = tuple(int(at) for at in core.front_pos)
    (move,) = hit.press(found(env), ahead[0] + 0.5, ahead[1] + 0.5).moves
    env.step(move.action)
    assert tuple(core.agent_pos) == ahead
    (arrow,) = [item for item in found(env).items if isinstance(item, Image) and item.name == "arrow"]
    assert arrow.turn == facing
    x, y = (core.agent_pos + core.right_vec).tolist()
    (turn,) = hit.press(found(env), x + 0.5, y + 0.5).moves
    env.step(turn.action)
    assert core.agent_dir == (facing + 1) % 4


@pytest.mark.parametrize(
    ("front", "carrying", "label"),
    [
        (None, None, "forward"),
        (Goal(), None, "forward"),
        (Lava(), None, "forward"),
        (Key("red"), None, "pick up the red key"),
        (Box("blue"), None, "pick up the blue box"),
        (Box("blue"), Key("red"), "open the blue box"),
        (Door("green"), None, "open the closed green door"),
        (Door("green", is_open=True), None, "forward"),
    ],
)
def test_what_lies_ahead_says_what_a_click_does(front: Any, carrying: Any, label: str) -> None:
    (move,) = hit.press(found(empty(front, carrying=carrying)), 4.5, 3.5).moves
    assert move.label == label


def test_reasons() -> None:
    assert why_of(found(empty(Wall())), 4.5, 3.5) == "There is a wall in the way."
    carrying = found(empty(Ball("red"), carrying=Key("blue")))
    assert why_of(carrying, 4.5, 3.5) == "The agent carries the blue key already."
    assert why_of(carrying, 3.5, 3.5) == "There is no room ahead to put it down."
    assert why_of(found(empty()), 3.5, 3.5).startswith("The agent carries nothing")


def test_what_is_carried_is_put_down_by_a_click_on_the_agent() -> None:
    env = empty(carrying=Key("red"))
    assert found(env).says.endswith("It carries the red key.")
    (move,) = hit.press(found(env), 3.5, 3.5).moves
    env.step(move.action)
    assert env.unwrapped.grid.get(4, 3).type == "key"


def test_environments_of_others_built_on_it_have_scenes_too() -> None:
    assert found(gymnasium.wrappers.TimeLimit(empty(), 5)).says.startswith("Get to the green goal square.")
    assert type(single("BabyAI-GoToLocal-v0").unwrapped).__name__ != "MiniGridEnv"
    assert found(single("BabyAI-GoToLocal-v0")).width > 3
