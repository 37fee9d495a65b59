"""Scenes as pixels without a window: where things lie, in which colours, smooth, with holes and faded."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from mosaic.exporting.raster import cell_for, raster
from mosaic.render.themes import DARK, LIGHT, Theme, colour_of
from mosaic_worker.common.scene import Disc, Image, Item, Line, Rect, Scene, Text
from tests.render.shown import ALL


def pixels(*items: Item, width: float = 2, theme: Theme = LIGHT) -> npt.NDArray[np.uint8]:
    found = raster(Scene(width, 2, items), cell=20, theme=theme)
    return np.frombuffer(found.rgb, np.uint8).reshape(found.height, found.width, 3)


def rgb(role: str, theme: Theme = LIGHT) -> list[int]:
    return list(bytes.fromhex(colour_of(role, theme)[1:]))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_cell_has_its_colour_and_what_nothing_covers_is_paper(theme: Theme) -> None:
    found = pixels(Rect(1, 0, 1, 1, "goal"), width=3, theme=theme)
    assert found.shape == (40, 60, 3)
    assert (found[:20, 20:40] == rgb("goal", theme)).all()
    found = found.copy()
    found[:20, 20:40] = rgb("paper", theme)
    assert (found == rgb("paper", theme)).all()


def test_an_edge_lies_around_its_rectangle_and_does_not_fill_it() -> None:
    found = pixels(Rect(0.5, 0.5, 1, 1, "", "wall", 0.2))
    assert found[10, 10].tolist() == rgb("wall")  # the corner: half of the edge is outside, half inside
    assert found[8, 20].tolist() == rgb("wall")
    assert found[20, 20].tolist() == rgb("paper")


def test_a_disc_is_round_and_smooth() -> None:
    found = pixels(Disc(1, 1, 0.8, "piece.red"))
    assert found[20, 20].tolist() == rgb("piece.red")
    assert found[5, 5].tolist() == rgb("paper")
    between = {tuple(one) for one in found.reshape(-1, 3).tolist()} - {
        tuple(rgb("piece.red")),
        tuple(rgb("paper")),
    }
    assert len(between) > 3


def test_what_is_faded_lets_through_what_lies_below() -> None:
    found = pixels(Rect(0, 0, 2, 2, "ink"), Disc(1, 1, 0.8, "paper", alpha=0.5))
    ink, paper = rgb("ink"), rgb("paper")
    middle = [(a + b) / 2 for a, b in zip(ink, paper, strict=True)]
    assert np.abs(found[20, 20] - middle).max() <= 1
    assert found[1, 1].tolist() == ink


def test_a_drawing_has_its_holes_and_is_turned() -> None:
    lock = pixels(Image(1, 1, 2, "lock", "thing"))
    assert lock[28, 20].tolist() == rgb("thing")
    assert lock[15, 20].tolist() == rgb("paper")  # within the shackle
    right, down = (pixels(Image(1, 1, 2, "arrow", "agent", turn=turn)) for turn in (0, 1))
    assert np.abs(np.rot90(right, -1).astype(int) - down).mean() < 3
    assert np.abs(right.astype(int) - down).mean() > 10


def test_lines_and_words_are_drawn() -> None:
    line = pixels(Line(0.5, 1, 1.5, 1, "wall", 0.2))
    assert line[20, 20].tolist() == rgb("wall")
    assert line[20, 9].tolist() == rgb("wall")  # its end is round
    words = pixels(Text(1, 1, 1, "H", "ink", bold=True))
    where = np.argwhere((words != rgb("paper")).any(axis=2))
    assert np.abs(where.mean(axis=0) - 20).max() < 2


def test_every_primitive_can_be_painted_and_the_size_fits_the_scene() -> None:
    found = raster(ALL, theme=DARK)
    assert (found.width, found.height) == (4 * 96, 2 * 96)
    assert len(found.rgb) == found.width * found.height * 3
    assert cell_for(Scene(8, 8)) == 80
    assert cell_for(Scene(19, 20)) == 32
    assert cell_for(Scene(256, 3)) == 4
