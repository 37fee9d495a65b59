"""Recorded values as what an environment takes again: of every space, bit for bit, or said to be lost."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from mosaic_worker.replay.decode import LostError, argument, array, live
from mosaic_worker.values import plain

BOX = spaces.Box(-1, 1, (2, 3), np.float32)
SPACES: list[spaces.Space[Any]] = [
    spaces.Discrete(5),
    spaces.Discrete(5, start=-2),
    BOX,
    spaces.Box(-np.inf, np.inf, (), np.float64),
    spaces.Box(0, 255, (4, 4), np.uint8),
    spaces.MultiBinary(7),
    spaces.MultiDiscrete([3, 4]),
    spaces.Text(8, min_length=1),
    spaces.Dict({"arm": BOX, "grip": spaces.Discrete(2), "said": spaces.Text(4)}),
    spaces.Tuple((BOX, spaces.Discrete(3))),
    spaces.Tuple((spaces.Tuple((BOX,)), spaces.Dict({"pair": spaces.Tuple((BOX, BOX))}))),
    spaces.Sequence(BOX),
    spaces.Sequence(spaces.Tuple((spaces.Discrete(3), BOX))),
    spaces.OneOf((spaces.Discrete(3), BOX, spaces.Tuple((BOX, BOX)))),
]


def recorded(value: Any) -> Any:
    """The value as a journal gives it back."""
    return json.loads(json.dumps(plain(value)))


def shape_of(value: Any) -> Any:
    """What a value is made of: a tuple is not a list here. A whole number may be of any kind."""
    if isinstance(value, dict):
        return {key: shape_of(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value), [shape_of(item) for item in value]
    return int if isinstance(value, np.integer) else type(value)


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_an_action_of_every_space_comes_back_as_one_the_space_takes(space: spaces.Space[Any]) -> None:
    space.seed(3)
    for _ in range(8):
        action = space.sample()
        again = live(recorded(action), space)
        assert space.contains(again)
        assert plain(again) == plain(action)
        assert shape_of(again) == shape_of(action)


def test_an_array_comes_back_bit_for_bit_and_can_be_written_to() -> None:
    action = np.array([[0.1, math.nan, -0.0]], ">f4")
    again = live(recorded(action))
    assert (again.tobytes(), again.dtype, again.shape) == (action.tobytes(), action.dtype, (1, 3))
    again[0, 0] = 1.0
    assert array(recorded(action)).tobytes() == action.tobytes()


def test_floats_that_json_has_no_word_for_come_back() -> None:
    assert live("Infinity") == math.inf
    assert live("-Infinity") == -math.inf
    assert math.isnan(live("NaN"))
    odd = struct.unpack(">d", bytes.fromhex("fff8000000000123"))[0]
    assert struct.pack(">d", live(recorded(odd))).hex() == "fff8000000000123"
    assert live(["Infinity", {"low": "-Infinity"}]) == [math.inf, {"low": -math.inf}]


@pytest.mark.parametrize("said", ["NaN", "Infinity", "NaN:fff8000000000123", "left"])
def test_words_stay_words_where_the_space_is_one_of_words(said: str) -> None:
    text = spaces.Text(24)
    assert live(said, text) == said
    assert live({"a": [said]}, spaces.Dict({"a": spaces.Tuple((text,))})) == {"a": (said,)}


@pytest.mark.parametrize("said", ["left", "NaN:fff8", "nan", "", "NaN?fff8000000000123"])
def test_what_names_no_float_is_a_word(said: str) -> None:
    assert live(said) == said
    assert argument(said) == said


def test_bytes_come_back() -> None:
    assert live(recorded(b"\x00\xff")) == b"\x00\xff"
    assert live({"bytes": 3, "more": 1}) == {"bytes": 3, "more": 1}  # a dict of the script's own


def test_what_fits_no_space_is_given_as_it_was_recorded() -> None:
    pair = spaces.Tuple((BOX, BOX))
    assert live([1, 2, 3], pair) == [1, 2, 3]
    assert live([1], pair) == [1]
    assert live({"unknown": [1]}, spaces.Dict({"known": BOX})) == {"unknown": [1]}
    assert live(None) is None
    assert live(True) is True


def test_what_was_not_recorded_whole_is_said_to_be_lost() -> None:
    with pytest.raises(LostError, match="type builtins.object was recorded only as a description: <object"):
        live(recorded(object()))
    with pytest.raises(LostError, match=r"an array \(<f8, 90x100\) was too large to be recorded whole"):
        live(recorded(np.zeros((90, 100))))
    with pytest.raises(LostError, match="builtins.object"):
        live(recorded({"deep": (1, object())}), spaces.Dict({"deep": spaces.Tuple((BOX, BOX))}))


def test_keyword_arguments_come_back_at_any_depth() -> None:
    given = {"range": [0.2, math.inf], "name": "x", "map": {"goal": np.arange(3)}, "raw": b"\x01", "no": None}
    again = argument(recorded(given))
    assert again["map"].pop("goal").tolist() == [0, 1, 2]
    given["map"] = {}
    assert again == given
    for lost in (recorded([{"policy": object()}]), recorded({"big": np.zeros(9000)})):
        with pytest.raises(LostError):
            argument(lost)
