"""Held keys as actions: the longest combination, axes that add up, and what is wrong with a key map."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic.app.keys import action_of, axes_of, binding_of, combination, name_of, problems, shaped, used
from mosaic.protocol.hands import Binding, KeyMap

SHOOTER = KeyMap(
    bindings=[
        Binding(keys=["Space"], action=1, name="fire"),
        Binding(keys=["Left"], action=2, name="left"),
        Binding(keys=["Right"], action=3, name="right"),
        Binding(keys=["Space", "Left"], action=4, name="fire and left"),
    ],
    rest=0,
)
CAR = KeyMap(
    bindings=[
        Binding(keys=["Left"], axis=0, value=-1.0, name="left"),
        Binding(keys=["Right"], axis=0, value=1.0, name="right"),
        Binding(keys=["Up"], axis=1, value=0.75, name="gas"),
    ],
    rest=[0.0, 0.0, 0.0],
)
BOX: dict[str, Any] = {
    "kind": "Box", "text": "Box(3)", "shape": [3], "low": [-1.0, 0.0, None], "high": [1.0, 0.5, None],
}  # fmt: skip
FOUR: dict[str, Any] = {"kind": "Discrete", "text": "Discrete(4)", "n": 4, "start": 0}


@pytest.mark.parametrize(
    ("held", "action"),
    [
        ([], None),
        (["Q"], None),
        (["Left"], 2),
        (["Left", "Space"], 4),
        (["Space", "Left", "Q"], 4),
        (["Left", "Right"], 3),
        (["Right", "Left"], 2),
    ],
)
def test_the_longest_combination_that_is_held_wins_and_of_equals_the_newest(
    held: list[str], action: int | None
) -> None:
    assert action_of(SHOOTER, held) == action


def test_turn_by_turn_the_key_just_pressed_takes_part() -> None:
    assert action_of(SHOOTER, ["Left", "Space"], newest="Space") == 4
    assert action_of(SHOOTER, ["Left", "Q"], newest="Q") is None
    assert binding_of(SHOOTER, ["Right", "Space"], newest="Space") == SHOOTER.bindings[0]


def test_axes_add_up_and_stay_in_their_bounds() -> None:
    assert action_of(CAR, ["Left"], space=BOX) == [-1.0, 0.0, 0.0]
    assert action_of(CAR, ["Left", "Right"], space=BOX) == [0.0, 0.0, 0.0]
    assert action_of(CAR, ["Up", "Left"], space=BOX) == [-1.0, 0.5, 0.0]
    assert action_of(CAR, [], space=BOX) is None
    assert action_of(CAR, ["Up"], space=BOX, newest="Q") is None


def test_a_slider_lends_its_number_and_keys_add_to_it() -> None:
    assert action_of(CAR, [], space=BOX, lent={0: 0.25, 2: 9.0}) == [0.25, 0.0, 9.0]
    assert action_of(CAR, ["Left"], space=BOX, lent={0: 0.25}) == [-0.75, 0.0, 0.0]


def test_the_axes_of_a_box_are_its_numbers_and_no_other_space_has_any() -> None:
    assert [tuple(axis) for axis in axes_of(BOX)] == [(0, -1.0, 1.0), (1, 0.0, 0.5), (2, None, None)]
    assert axes_of(FOUR) == axes_of(None) == axes_of({"kind": "Box", "shape": [65]}) == []


def test_numbers_take_the_shape_of_the_space() -> None:
    assert shaped([1.0, 2.0, 3.0, 4.0], [2, 2]) == [[1.0, 2.0], [3.0, 4.0]]
    assert shaped([1.0], []) == 1.0
    assert shaped([1.0, 2.0], [3]) == [1.0, 2.0]
    square = {"kind": "Box", "shape": [2, 1], "low": [[-1], [-1]], "high": [[1], [1]]}
    assert action_of(CAR, ["Up"], space=square) == [[0.0], [0.75]]


def test_keys_and_actions_have_names() -> None:
    assert combination(SHOOTER.bindings[3]) == "Space + Left"
    assert (name_of(3, SHOOTER), name_of(7, SHOOTER)) == ("right", "7")
    assert used(SHOOTER) == {"Space", "Left", "Right"}


@pytest.mark.parametrize(
    ("binding", "space", "said"),
    [
        (Binding(keys=["A"], action=4), FOUR, "A: 4 is not an action: 0 to 3 are"),
        (Binding(keys=["A"], action=True), FOUR, "A: True is not an action: 0 to 3 are"),
        (Binding(keys=["A"], action="up"), FOUR, "A: 'up' is not an action: 0 to 3 are"),
        (Binding(keys=[], action=1, name="up"), FOUR, "up: press at least one key for it"),
        (Binding(keys=["A"], axis=0), FOUR, "A: Discrete(4) has no axes: name an action instead"),
        (Binding(keys=["A"], axis=3), BOX, "A: there is no axis 3: 0 to 2 are"),
        (Binding(keys=["A"], action=[1.0]), BOX, "A: [1.0] is not an action of Box(3): write 3 numbers"),
        (
            Binding(keys=["A"], action=[0, 5]),
            {"kind": "MultiDiscrete", "text": "MultiDiscrete([2 5])", "nvec": [2, 5]},
            "A: 5 is not below 5 in [0, 5]",
        ),
    ],
)
def test_what_a_key_cannot_mean_is_a_sentence(binding: Binding, space: dict[str, Any], said: str) -> None:
    assert problems(KeyMap(bindings=[binding]), space) == [said]


def test_a_key_map_that_fits_has_no_problem_and_a_key_twice_is_one() -> None:
    assert problems(SHOOTER, {**FOUR, "n": 5}) == []
    assert problems(CAR, BOX) == []
    assert problems(SHOOTER, None) == []
    twice = KeyMap(bindings=[Binding(keys=["A", "B"], action=1), Binding(keys=["B", "A"], action=2)])
    assert problems(twice, FOUR) == ["B + A is there twice: take one of them away"]
