"""Tic-tac-toe, whose cells are numbered by columns."""

from __future__ import annotations

from mosaic.render import hit
from mosaic_worker.common.scene import Disc, Image, Rect
from tests.worker.scenes.playing import found, made, why_of


def test_a_click_below_the_first_cell_is_its_second_action() -> None:
    env = made("tictactoe_v3")
    (move,) = hit.press(found(env), 0.5, 1.5).moves
    assert (move.action, move.label) == (1, "middle left")
    env.step(1)
    scene = found(env, last=1)
    assert scene.text == (". . .", "X . .", ". . .")
    (cross,) = [item for item in scene.items if isinstance(item, Image)]
    assert (cross.x, cross.y) == (0.5, 1.5)
    assert Rect(0, 1, 1, 1, "mark.last") in scene.items


def test_a_taken_cell_says_so() -> None:
    env = made("tictactoe_v3")
    env.step(1)
    env.step(4)
    assert why_of(found(env), 0.5, 1.5) == "The middle left cell has a cross already."
    assert why_of(found(env), 1.5, 1.5) == "The centre cell has a nought already."


def test_what_is_offered_is_marked_with_the_movers_own_sign() -> None:
    env = made("tictactoe_v3")
    assert all(isinstance(hot.mark, Image) for hot in found(env).hot)
    env.step(0)
    assert all(isinstance(hot.mark, Disc) for hot in found(env).hot if hot.action is not None)


def test_a_last_move_that_is_none_is_not_marked() -> None:
    env = made("tictactoe_v3")
    for last in (0, -1, 99):
        assert not [item for item in found(env, last=last).items if "mark.last" in item]
