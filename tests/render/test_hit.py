"""What a click means, where it begins and where it ends."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic.render import hit
from mosaic.render.hit import Answer
from tests.render.shown import MOVES
from tests.worker.common.test_scene import scenes


def test_a_click_on_a_legal_area_is_its_move_and_on_another_its_reason() -> None:
    assert [move.action for move in hit.press(MOVES, 0.5, 0.5).moves] == [5]
    assert hit.press(MOVES, 1.5, 0.5) == Answer(why="It is full.")
    assert hit.press(MOVES, 2.5, 0.5) == Answer(why="Nothing is there.")


@pytest.mark.parametrize(
    "point", [(-0.1, 0.5), (3, 0.5), (0.5, 2), (math.nan, 0.5), (0.5, math.inf), (-1e300, 1e300)]
)
def test_outside_there_is_nothing(point: tuple[float, float]) -> None:
    assert hit.press(MOVES, *point) == Answer()
    begun = hit.press(MOVES, 0.5, 1.5).begun
    assert hit.release(MOVES, begun, *point) == Answer()


def test_a_move_begins_in_one_area_and_ends_in_another() -> None:
    begun = hit.press(MOVES, 0.5, 1.5).begun
    assert [move.action for move in begun] == [7, 8, 9]
    assert [move.action for move in hit.release(MOVES, begun, 2.5, 0.5).moves] == [9]
    assert [move.choice for move in hit.release(MOVES, begun, 2.5, 1.5).moves] == ["queen", "rook"]
    assert hit.release(MOVES, begun, 1.5, 0.5) == Answer(why="It cannot go there.")
    assert hit.release(MOVES, begun, 1.5, 1.5) == Answer(why="It would be lost.")


def test_an_area_ends_where_the_next_begins() -> None:
    assert hit.press(MOVES, 0.0, 0.0).moves
    assert not hit.press(MOVES, 1.0, 0.0).moves


def test_the_keyboard_goes_over_each_area_with_a_legal_move_once() -> None:
    assert hit.boxes(MOVES) == [(0, 0, 1, 1), (0, 1, 1, 1)]
    assert hit.ends(hit.press(MOVES, 0.5, 1.5).begun) == [(2, 1, 1, 1), (2, 0, 1, 1)]


def test_the_keyboard_goes_to_the_nearest_area_that_way_and_stays_at_an_end() -> None:
    grid = [(float(x), float(y), 1.0, 1.0) for y in range(3) for x in range(3)]
    centre = grid[4]
    assert hit.beside(grid, None, (1, 0)) == grid[0]
    assert [hit.beside(grid, centre, way) for way in ((1, 0), (-1, 0), (0, 1), (0, -1))] == [
        grid[5], grid[3], grid[7], grid[1],
    ]  # fmt: skip
    assert hit.beside(grid, grid[2], (1, 0)) == grid[2]
    start, ahead, aside = (0.0, 0.0, 1.0, 1.0), (3.0, 0.0, 1.0, 1.0), (1.0, 5.0, 1.0, 1.0)
    assert hit.beside([start, ahead, aside], start, (1, 0)) == ahead
    assert hit.beside([], None, (1, 0)) is None
    assert hit.beside(grid, (9.0, 9.0, 1.0, 1.0), (1, 0)) == grid[0]


@settings(deadline=None)
@given(scenes, st.floats(), st.floats(), st.floats(), st.floats())
def test_no_scene_and_no_point_are_too_strange(
    scene: object, x: float, y: float, to_x: float, to_y: float
) -> None:
    answer = hit.press(scene, x, y)  # type: ignore[arg-type]
    assert all(move.action is not None for move in (*answer.moves, *answer.begun))
    ended = hit.release(scene, answer.begun, to_x, to_y)  # type: ignore[arg-type]
    assert all(move in answer.begun for move in ended.moves)
