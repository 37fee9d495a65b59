"""Scenes in a terminal."""

from __future__ import annotations

import re

from hypothesis import given, settings

from mosaic.render.text import coloured, plain
from mosaic.render.themes import DARK
from mosaic_worker.common.scene import Disc, Image, Rect, Scene, Text
from tests.worker.common.test_scene import scenes

CODES = re.compile(r"\x1b\[[0-9;]*m")
BOARD = Scene(
    3,
    1,
    (
        Rect(0, 0, 3, 1, "board.light"),
        Rect(1, 0, 1, 1, "board.dark"),
        Image(0.5, 0.5, 1, "knight", "piece.black"),
        Disc(1.5, 0.5, 0.4, "piece.red"),
        Image(2.5, 0.5, 1, "arrow", "agent", turn=1),
    ),
)


def test_a_scene_has_its_own_lines() -> None:
    assert plain(Scene(1, 1, text=("ab", "cd"))) == "ab\ncd"


def test_a_scene_without_lines_is_shown_cell_by_cell() -> None:
    assert plain(BOARD) == "♞ ● v"
    assert plain(Scene(2, 2, (Text(1.5, 1.5, 0.5, "7"),))) == "\n  7"


def test_colours_are_the_themes_and_each_line_ends_as_it_began() -> None:
    shown = coloured(BOARD)
    assert CODES.sub("", shown) == "♞ ● v "
    red = ";".join(str(int(DARK["piece.red"][at : at + 2], 16)) for at in (1, 3, 5))
    dark = ";".join(str(int(DARK["board.dark"][at : at + 2], 16)) for at in (1, 3, 5))
    assert f"\x1b[48;2;{dark}m\x1b[38;2;{red}m●" in shown
    assert shown.endswith("\x1b[0m")


@settings(max_examples=30, deadline=None)
@given(scenes)
def test_no_scene_reaches_the_terminal_with_codes_of_its_own(scene: Scene) -> None:
    for shown in (plain(scene), CODES.sub("", coloured(scene))):
        assert all(letter.isprintable() for letter in shown.replace("\n", ""))
    assert len(coloured(scene).splitlines()) == -(-scene.height // 1)
