from __future__ import annotations

import re

import numpy as np
import pytest

from mosaic.render.blocks import half_blocks

CELL = re.compile("▀")


def frame(height: int, width: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.zeros((height, width, 3), np.uint8)


def test_two_pixels_are_one_character_upper_in_front_of_lower() -> None:
    pixels = frame(2, 1)
    pixels[0, 0], pixels[1, 0] = (1, 2, 3), (4, 5, 6)
    assert half_blocks(pixels, columns=10, lines=10) == ["\x1b[38;2;1;2;3;48;2;4;5;6m▀\x1b[0m"]


def test_a_colour_is_written_where_it_changes() -> None:
    pixels = frame(2, 3)
    pixels[:, 2] = 255
    [line] = half_blocks(pixels, columns=10, lines=10)
    assert line.count("\x1b[38") == 2
    assert len(CELL.findall(line)) == 3


@pytest.mark.parametrize(
    ("height", "width", "columns", "lines", "shape"),
    [
        (400, 600, 60, 50, (20, 60)),
        (400, 600, 200, 10, (10, 30)),
        (7, 4, 80, 40, (4, 4)),
        (500, 1, 9, 3, (3, 1)),
    ],
)
def test_a_frame_fits_and_keeps_its_proportions_and_is_never_blown_up(
    height: int, width: int, columns: int, lines: int, shape: tuple[int, int]
) -> None:
    found = half_blocks(frame(height, width), columns=columns, lines=lines)
    assert (len(found), len(CELL.findall(found[0]))) == shape


def test_a_pixel_is_the_mean_of_those_it_stands_for() -> None:
    pixels = frame(4, 4)
    pixels[:2, :2] = 200
    pixels[0, 0] = 0
    [line] = half_blocks(pixels, columns=2, lines=1)
    assert "\x1b[38;2;150;150;150;" in line


@pytest.mark.parametrize(("shape", "columns"), [((2, 2), 5), ((2, 2, 1), 5), ((0, 2, 3), 5), ((2, 2, 3), 0)])
def test_what_cannot_be_drawn_is_refused(shape: tuple[int, ...], columns: int) -> None:
    with pytest.raises(ValueError, match=r"a frame has|no room"):
        half_blocks(np.zeros(shape, np.uint8), columns=columns, lines=3)
