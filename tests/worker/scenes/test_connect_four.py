"""Connect four: where a disc lands, and the column that is full."""

from __future__ import annotations

from mosaic_worker.common.scene import Disc, Line
from tests.worker.scenes.playing import found, legal, made, why_of


def test_a_full_column_says_so_and_is_not_offered() -> None:
    env = made("connect_four_v3")
    for _ in range(6):
        env.step(2)
    scene = found(env)
    assert legal(scene) == [0, 1, 3, 4, 5, 6]
    assert why_of(scene, 2.5, 3.0) == "Column 3 is full."


def test_a_column_shows_where_the_disc_would_land() -> None:
    env = made("connect_four_v3")
    env.step(3)
    (fourth,) = [hot for hot in found(env).hot if hot.action == 3]
    assert isinstance(fourth.mark, Disc)
    assert (fourth.mark.x, fourth.mark.y, fourth.mark.fill) == (3.5, 4.5, "piece.yellow")


def test_the_last_move_is_marked_where_its_disc_lies() -> None:
    env = made("connect_four_v3")
    env.step(3)
    env.step(3)
    scene = found(env, last=3)
    assert [(item.x, item.y) for item in scene.items if "mark.last.dot" in item] == [(3.5, 4.5)]
    assert "Last move: column 4." in scene.says
    assert "Column 4 from below: red, yellow." in scene.says
    assert scene.text[4:] == (". . . Y . . .", ". . . R . . .", "1 2 3 4 5 6 7")


def test_four_in_a_row_are_struck_through() -> None:
    env = made("connect_four_v3")
    for column in (0, 1, 0, 1, 0, 1, 0):
        env.step(column)
    scene = found(env)
    (struck,) = [item for item in scene.items if isinstance(item, Line) and item.stroke == "mark.win"]
    assert (struck.x, struck.y, struck.x2, struck.y2) == (0.5, 2.5, 0.5, 5.5)
    assert "red has won" in scene.says
