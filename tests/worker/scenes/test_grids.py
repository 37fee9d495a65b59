"""FrozenLake, CliffWalking and Taxi: a click goes where it points, and each says why not."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mosaic.render import hit
from mosaic_worker.common.scene import Scene, decode, encode
from mosaic_worker.scenes.grids import runs
from tests.worker.scenes.playing import clicked, found, single, why_of


def agent(scene: Scene, name: str = "person") -> tuple[float, float]:
    (drawn,) = [item for item in scene.items if name in item and "agent" in item]
    return int(drawn.x), int(drawn.y)


@pytest.mark.parametrize(
    ("name", "options", "sign"),
    [
        ("FrozenLake-v1", {"is_slippery": False}, "person"),
        ("FrozenLake-v1", {"is_slippery": False, "map_name": "8x8"}, "person"),
        ("CliffWalking-v1", {}, "person"),
        ("Taxi-v4", {}, "car"),
    ],
)
def test_a_click_beside_the_agent_goes_there(name: str, options: dict[str, Any], sign: str) -> None:
    env = single(name, **options)
    dice = random.Random(7)
    went = 0
    for _ in range(300):
        scene = found(env)
        assert decode(encode(scene)) == scene
        offered = [hot for hot in scene.hot if hot.action is not None]
        if not offered:
            env.reset()
            continue
        move = dice.choice(offered)
        state, _, terminated, _, _ = env.step(clicked(scene, move))
        cliff = name.startswith("Cliff") and state == 36
        if not cliff and "passenger" not in move.label:
            assert agent(found(env), sign) == (move.x, move.y)
            went += 1
        if terminated:
            env.reset()
    assert went > 100
    env.close()


def test_an_end_of_the_lake_is_said_and_nothing_is_offered() -> None:
    env = single("FrozenLake-v1", is_slippery=False)
    env.step(2)
    env.step(1)  # the hole right of the middle of the first column
    scene = found(env)
    assert why_of(scene, 0.5, 0.5) == "The agent fell into a hole."
    assert "on a hole" in scene.says
    assert scene.text[1] == "F@FH"


def test_a_map_of_the_users_own_has_its_own_size() -> None:
    env = single("FrozenLake-v1", desc=["SFH", "FFG"], is_slippery=False)
    scene = found(env)
    assert (scene.width, scene.height) == (3, 2)
    assert scene.text == ("@FH", "FFG")


def test_the_cliff_is_where_one_falls() -> None:
    env = single("CliffWalking-v1")
    env.step(0)
    env.step(1)
    scene = found(env)
    assert scene.says.endswith("The cliff is below.")
    (below,) = hit.press(scene, 1.5, 3.5).moves
    _, reward, _, _, _ = env.step(below.action)
    assert reward == -100


def test_the_taxi_says_where_walls_are_and_takes_the_passenger() -> None:
    env = single("Taxi-v4")
    core = env.unwrapped
    core.s = core.encode(0, 1, 0, 3)  # beside the wall, the passenger at red
    assert why_of(found(env), 2.5, 0.5) == "There is a wall to the east."
    assert why_of(found(env), 1.5, 0.5) == "The passenger is not here."
    core.s = core.encode(0, 0, 0, 3)
    (move,) = hit.press(found(env), 0.5, 0.5).moves
    assert (move.action, move.label) == (4, "pick the passenger up")
    env.step(move.action)
    assert "in the taxi" in found(env).says
    core.s = core.encode(2, 2, 4, 3)
    assert why_of(found(env), 2.5, 2.5).startswith("The passenger gets out only")
    core.s = core.encode(4, 3, 4, 3)
    (out,) = hit.press(found(env), 3.5, 4.5).moves
    _, reward, ended, _, _ = env.step(out.action)
    assert (reward, ended) == (20, True)
    assert why_of(found(env), 0.5, 0.5) == "The passenger has arrived."


@pytest.mark.parametrize("state", range(0, 500, 7))
def test_the_taxi_offers_what_its_own_mask_allows(state: int) -> None:
    env = single("Taxi-v4")
    env.unwrapped.s = state
    _, _, passenger, wanted = env.unwrapped.decode(state)
    offered = {hot.action for hot in found(env).hot if hot.action is not None}
    mask = {number for number, may in enumerate(env.unwrapped.action_mask(state)) if may}
    assert offered == (mask if passenger != wanted else set())


def test_cells_of_one_kind_side_by_side_are_one_rectangle() -> None:
    rows = ["aab", "bbb", "aba"]
    assert [item[:4] for item in runs(rows, "b", "x")] == [(2, 0, 1, 1), (0, 1, 3, 1), (1, 2, 1, 1)]
