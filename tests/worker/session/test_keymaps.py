from __future__ import annotations

from enum import IntEnum
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.session.keymaps import key_map, rest_of


class Own(gym.Env[Any, Any]):
    """An environment that says of itself what a test wants it to."""

    def __init__(self, n: int = 6, **says: Any) -> None:
        self.action_space = gym.spaces.Discrete(n)
        for name, value in says.items():
            setattr(self, name, value)


def keys_of(env: Any) -> dict[tuple[str, ...], Any]:
    found = key_map(env, env.action_space)
    return {tuple(binding["keys"]): binding.get("action") for binding in found["bindings"]}


@pytest.mark.parametrize(
    ("env_id", "keys", "rest"),
    [
        ("CartPole-v1", {("Left",): 0, ("Right",): 1}, 0),
        ("MountainCar-v0", {("Left",): 0, ("Right",): 2}, 1),
        ("FrozenLake-v1", {("Left",): 0, ("Down",): 1, ("Right",): 2, ("Up",): 3}, None),
        ("CliffWalking-v1", {("Up",): 0, ("Right",): 1, ("Down",): 2, ("Left",): 3}, None),
    ],
)
def test_environments_we_know(env_id: str, keys: Any, rest: Any) -> None:
    env = gym.make(env_id)
    found = key_map(env, env.action_space)
    assert keys_of(env) == keys
    assert (found["source"], found.get("rest")) == ("table", rest)
    assert all(binding["name"] for binding in found["bindings"])


@pytest.mark.parametrize("env_id", ["FrozenLake-v1", "CliffWalking-v1"])
def test_the_arrows_of_the_table_move_where_they_point(env_id: str) -> None:
    """What the table says is what the environment does: the walker moves that way."""
    env: Any = gym.make(env_id, is_slippery=False)
    moves = {"Left": (0, -1), "Right": (0, 1), "Up": (-1, 0), "Down": (1, 0)}
    columns = 4 if env_id.startswith("Frozen") else 12
    rows = 4
    for (key,), action in keys_of(env).items():
        env.reset(seed=1)
        row, column = 1, 2 if columns == 12 else 1
        if columns == 4:
            row, column = 2, 1  # no hole, and no wall beside it
        env.unwrapped.s = row * columns + column
        state = int(env.step(action)[0])
        down, right = moves[key]
        assert divmod(state, columns) == (min(max(row + down, 0), rows - 1), column + right)


def test_boards_are_played_by_numbers_as_people_count() -> None:
    from pettingzoo.classic.connect_four import connect_four
    from pettingzoo.classic.tictactoe import tictactoe

    columns = connect_four.env()
    found = key_map(columns, columns.action_space("player_0"))
    assert [(one["keys"], one["action"]) for one in found["bindings"]][::6] == [(["1"], 0), (["7"], 6)]
    board = tictactoe.env()
    board.reset(seed=1)
    found = key_map(board, board.action_space("player_1"))
    [second] = [one for one in found["bindings"] if one["keys"] == ["2"]]
    assert second["name"] == "row 1, column 2"
    board.step(second["action"])
    assert board.observe("player_2")["observation"][1][0].any()  # it observes by columns too


def test_what_an_environment_says_itself() -> None:
    said = {
        (ord("w"),): 1, "ad": 2, (" ",): 3, ("d", " "): 4, (275,): 5, (1073741904,): 0,
        ("x",): 99, (7,): 1, "": 2,
    }  # fmt: skip
    env = Own(
        get_keys_to_action=lambda: said, get_action_meanings=lambda: ["NOOP", "UP", "B", "FIRE", "E", "F"]
    )
    found = key_map(env, env.action_space)
    assert keys_of(env) == {
        ("W",): 1, ("A", "D"): 2, ("Space",): 3, ("D", "Space"): 4, ("Right",): 5, ("Left",): 0,
    }  # fmt: skip
    assert (found["source"], found["rest"]) == ("environment", 0)
    assert found["bindings"][0]["name"] == "UP"


def test_names_of_actions_become_arrows_and_first_letters() -> None:
    names = ["NOOP", "FIRE", "UP", "UPRIGHTFIRE", "swim", "sink"]
    env = Own(get_action_meanings=lambda: names)
    assert keys_of(env) == {
        ("Space",): 1, ("Up",): 2, ("Right", "Space", "Up"): 3, ("S",): 4, ("I",): 5,
    }  # fmt: skip
    assert key_map(env, env.action_space)["rest"] == 0


def test_names_of_an_enum() -> None:
    class Actions(IntEnum):
        left = 0
        jump = 1

    assert keys_of(Own(2, actions=Actions)) == {("Left",): 0, ("J",): 1}


def test_without_a_name_there_are_digits_and_beyond_ten_nothing() -> None:
    assert keys_of(Own(3)) == {("0",): 0, ("1",): 1, ("2",): 2}
    assert key_map(Own(11), Own(11).action_space) == {"bindings": []}
    env = Own(2)
    env.action_space = gym.spaces.Discrete(2, start=5)
    assert keys_of(env) == {("5",): 5, ("6",): 6}


def test_an_environment_that_fails_when_it_is_asked_has_digits() -> None:
    def fails() -> Any:
        raise RuntimeError("no")

    assert keys_of(Own(2, get_keys_to_action=fails, get_action_meanings=fails)) == {("0",): 0, ("1",): 1}


def test_continuous_actions_have_axes_with_their_bounds() -> None:
    env = gym.make("Pendulum-v1")
    found = key_map(env, env.action_space)
    assert [(one["keys"], one["axis"], one["value"]) for one in found["bindings"]] == [
        (["Left"], 0, 2.0),
        (["Right"], 0, -2.0),
    ]
    assert found["rest"] == [0.0]
    box = Own()
    box.action_space = gym.spaces.Box(np.array([-3, 0, -np.inf]), np.array([5, 1, np.inf]), dtype=np.float64)
    found = key_map(box, box.action_space)
    assert [(one["keys"][0], one["axis"], one["value"]) for one in found["bindings"]] == [
        ("Left", 0, -3.0),
        ("Right", 0, 5.0),
        ("Up", 1, 1.0),
        ("A", 2, -1.0),
        ("D", 2, 1.0),
    ]


def test_rest_in_time_is_what_comes_nearest_to_nothing_and_move_by_move_there_is_none() -> None:
    env = Own(3)
    keys = key_map(env, env.action_space)
    assert rest_of(keys, env.action_space, ticks=True) == 0
    assert rest_of(keys, env.action_space, ticks=False) is None
    pendulum = gym.make("Pendulum-v1")
    rest = rest_of(key_map(pendulum, pendulum.action_space), pendulum.action_space, ticks=False)
    assert pendulum.action_space.contains(rest)


def test_other_spaces_have_no_keys() -> None:
    env = Own()
    assert key_map(env, gym.spaces.Dict({"a": gym.spaces.Discrete(2)})) == {"bindings": []}
    assert key_map(env, gym.spaces.MultiBinary(2))["bindings"][0]["axis"] == 0
