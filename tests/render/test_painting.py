"""Scenes as commands: fitted, within bounds, in the theme's colours."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic.render.drawings import DRAWINGS, parts_of
from mosaic.render.painting import (
    MOST_PIXELS,
    Circle,
    Fit,
    Path,
    Rectangle,
    Words,
    fit,
    focus_on,
    marks_of,
    paint,
)
from mosaic.render.themes import DARK, LIGHT, colour_of
from mosaic_worker.common.scene import Image, Line, Rect, Scene, Text
from tests.render.shown import ALL, MOVES
from tests.worker.common.test_scene import scenes


def test_a_scene_is_as_large_as_fits_in_the_middle_and_in_whole_pixels() -> None:
    assert fit(ALL, 407, 300) == Fit(2, 49, 101)
    assert fit(ALL, 420, 420, margin=10) == Fit(10, 110, 100)
    assert fit(ALL, 10, 10).cell == 2.5  # too small for whole pixels
    dense = fit(ALL, 403, 300, ratio=2)
    assert dense == Fit(0.5, 49.5, 100.5)


@pytest.mark.parametrize("side", [0, -5, math.nan, math.inf, 1e12])
def test_a_room_that_is_none_harms_nothing(side: float) -> None:
    found = fit(ALL, side, side)
    assert 0 < found.cell <= MOST_PIXELS
    assert math.isfinite(found.left + found.top)


@settings(deadline=None)
@given(st.floats(1, 5000), st.floats(1, 5000), st.floats(0, 4), st.floats(0, 2))
def test_cells_and_pixels_are_each_others_inverse(width: float, height: float, x: float, y: float) -> None:
    at = fit(ALL, width, height)
    left, top, _, _ = at.pixels((x, y, 1, 1))
    assert at.cells(left, top) == pytest.approx((x, y), abs=1e-6)


def test_each_item_is_its_command_in_pixels_and_colours() -> None:
    commands = paint(ALL, Fit(10, 20, 100), LIGHT)
    assert commands[0] == Rectangle(10, 20, 400, 200, LIGHT["board.light"], "", 4, 0, 1)
    assert commands[1] == Rectangle(60, 70, 100, 100, "", LIGHT["wall"], 10, 20, 1)
    assert commands[2] == Circle(260, 70, 40, LIGHT["piece.red"], LIGHT["piece.edge"], 5, 1)
    assert commands[5] == Words(360, 70, 50, "<b>&\"'", LIGHT["ink"], True, 1)
    assert commands[-1][3:] == ("u", LIGHT["agent"], False, 1)


def test_what_has_no_colour_is_not_drawn_at_all() -> None:
    # Painters differ in how a colour that is none looks: none is ever asked to draw text or lines in it.
    unseen = (
        Line(0, 0, 1, 1, ""),
        Text(0.5, 0.5, 0.5, "a", ""),
        Image(0.5, 0.5, 1, "unheard-of", ""),
        Text(0.5, 0.5, 0.001, "a"),
    )
    assert paint(Scene(1, 1, unseen), Fit(0, 0, 100), LIGHT) == []


def test_an_image_is_turned_clockwise() -> None:
    corners = []
    for turn in range(4):
        (flag,) = paint(Scene(1, 1, (Image(0.5, 0.5, 1, "flag", turn=turn),)), Fit(0, 0, 100), LIGHT)
        assert isinstance(flag, Path)
        assert (flag.x, flag.y) == (50, 50)
        corners.append(flag.outline.polygons[0][0])
    assert corners == [(-22, -38), (38, -22), (22, 38), (-38, 22)]  # the top of the pole goes round


def test_a_hole_of_a_drawing_is_part_of_its_shape() -> None:
    key = paint(Scene(1, 1, (Image(0.5, 0.5, 1, "key"),)), Fit(0, 0, 100), LIGHT)
    assert [len(command.outline.polygons) for command in key if isinstance(command, Path)] == [2]


def test_marks_are_drawn_of_areas_that_have_one() -> None:
    marks = marks_of(MOVES.hot, Fit(0, 0, 10), DARK)
    assert len(marks) == 4
    assert {command.fill for command in marks if isinstance(command, Circle)} == {DARK["mark.legal"]}
    focus = focus_on((1, 1, 1, 1), Fit(0, 0, 100), LIGHT)
    assert (focus.x + focus.w / 2, focus.y + focus.h / 2, focus.fill) == (150, 150, "")


@settings(deadline=None)
@given(scenes)
def test_every_scene_is_painted_in_finite_numbers_and_plain_colours(scene: Scene) -> None:
    for command in paint(scene, fit(scene, 800, 600), DARK):
        numbers = [value for value in command if isinstance(value, (int, float))]
        assert all(math.isfinite(value) for value in numbers)
        for name in ("fill", "stroke"):
            assert re.fullmatch(r"(#[0-9a-f]{6})?", getattr(command, name, ""))


def test_both_themes_have_the_same_roles() -> None:
    assert LIGHT.keys() == DARK.keys()
    for theme in (LIGHT, DARK):
        assert all(re.fullmatch(r"#[0-9a-f]{6}", colour) for colour in theme.values())


def test_a_role_that_is_not_listed_is_painted_as_its_first_part() -> None:
    assert colour_of("thing.red", LIGHT) == LIGHT["thing.red"]
    assert colour_of("thing.mauve.edge", LIGHT) == LIGHT["thing"]
    assert colour_of("none", DARK) == DARK["ink"]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    dark, light = sorted((luminance(one), luminance(two)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("above", "below", "least"),
    [
        ("piece.white.edge", "board.light", 4.5), ("piece.white", "board.dark", 2.5),
        ("piece.black", "board.light", 4.5), ("piece.black", "board.dark", 2.5),
        ("piece.black.line", "piece.black", 3), ("piece.first", "board.light", 4.5),
        ("piece.second", "board.light", 3), ("board.line", "board.light", 3),
        ("piece.red", "board.hole", 3), ("piece.yellow", "board.frame", 3),
        ("piece.red", "board.frame", 1.15), ("piece.black", "board.wood", 4.5),
        ("piece.white", "board.wood", 1.5), ("board.label", "board.wood", 4.5),
        ("button.text", "button", 4.5), ("goal.sign", "goal", 4.5), ("hazard", "ice", 1.5),
        ("agent", "ice", 2.5), ("agent", "ground", 2.5), ("agent", "floor", 2.5), ("wall", "floor", 3),
        ("wall", "ground", 2), ("thing.red", "floor", 3), ("thing.green", "floor", 3),
        ("thing.blue", "floor", 3), ("thing.purple", "floor", 3), ("thing.yellow", "floor", 2.7),
        ("thing.grey", "floor", 3), ("mark.legal", "board.light", 1.15), ("mark.win", "piece.red", 3),
        ("label", "start", 3),
    ],
)  # fmt: skip
def test_what_lies_on_something_is_told_apart_from_it(
    theme: dict[str, str], above: str, below: str, least: float
) -> None:
    assert contrast(theme[above], theme[below]) >= least


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_stays_inside_its_square(name: str) -> None:
    parts = parts_of(name)
    assert len(parts) == len(DRAWINGS[name].shapes) + len(DRAWINGS[name].lines)
    for path in parts:
        for part in path:
            assert len(part.points) >= 2
            assert all(-0.5 <= x <= 0.5 and -0.5 <= y <= 0.5 for x, y in part.points)
    closed = [all(part.closed for part in path) for path in parts]
    assert closed == [True] * len(DRAWINGS[name].shapes) + [False] * len(DRAWINGS[name].lines)


def test_no_scene_is_too_large_to_be_painted() -> None:
    wide = Scene(256, 256, (Rect(-256, -256, 256, 256, "wall"), Rect(512, 512, 256, 256, "wall")))
    assert len(paint(wide, fit(wide, 64, 64), LIGHT)) == 2
