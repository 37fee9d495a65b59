"""A frame in a widget: geometry, zoom, and buffers that are not what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from mosaic.ui.shell.widgets.frame_view import FrameView, Zoom, image_of, target_of

STILL = QPointF()


def rgb(image: QImage, x: int, y: int) -> tuple[int, int, int]:
    colour = image.pixelColor(x, y)
    return colour.red(), colour.green(), colour.blue()


@pytest.mark.parametrize(
    ("zoom", "ratio", "found"),
    [
        ("fit", 1.0, QRectF(0, 25, 300, 150)),
        ("actual", 1.0, QRectF(100, 75, 100, 50)),
        ("whole", 1.0, QRectF(0, 25, 300, 150)),
        ("actual", 2.0, QRectF(125, 87.5, 50, 25)),
        ("whole", 2.0, QRectF(0, 25, 300, 150)),
    ],
)
def test_a_frame_is_placed_by_real_pixels(zoom: Zoom, ratio: float, found: QRectF) -> None:
    assert target_of(QSize(100, 50), QSizeF(300, 200), zoom=zoom, ratio=ratio, pan=STILL) == found


def test_whole_multiples_are_never_smaller_than_the_frame() -> None:
    small = target_of(QSize(100, 50), QSizeF(250, 200), zoom="whole", ratio=1.0, pan=STILL)
    assert (small.width(), small.height()) == (200, 100)
    large = target_of(QSize(1000, 500), QSizeF(250, 200), zoom="whole", ratio=1.0, pan=STILL)
    assert (large.width(), large.height()) == (1000, 500)


def test_a_large_frame_can_be_moved_but_not_out_of_its_room() -> None:
    def left(pan: float) -> float:
        return target_of(
            QSize(500, 50), QSizeF(300, 200), zoom="actual", ratio=1.0, pan=QPointF(pan, 0)
        ).left()

    assert [left(pan) for pan in (0, 50, 1000, -1000)] == [-100, -50, 0, -200]


def test_an_image_has_the_bytes_of_the_frame() -> None:
    pixels = np.arange(5 * 3 * 3, dtype=np.uint8).reshape(3, 5, 3)
    image = image_of(pixels[:, ::-1])
    found = [rgb(image, x, 1) for x in range(5)]
    assert found == [tuple(int(v) for v in pixels[1, 4 - x]) for x in range(5)]


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((3, 4), np.uint8),
        np.zeros((3, 4, 4), np.uint8),
        np.zeros((3, 4, 3), np.float32),
        np.zeros((0, 4, 3), np.uint8),
        np.broadcast_to(np.zeros((1, 1, 3), np.uint8), (100_000, 2, 3)),
    ],
)
def test_what_is_no_frame_is_refused(pixels: npt.NDArray[Any]) -> None:
    with pytest.raises(ValueError, match="frame"):
        image_of(pixels)


def test_it_paints_what_it_was_given_sharp_or_smooth(qtbot: QtBot) -> None:
    view = FrameView("test")
    qtbot.addWidget(view)
    view.resize(200, 200)
    pixels = np.zeros((2, 2, 3), np.uint8)
    pixels[0, 0] = 255, 0, 0
    view.show_pixels(pixels)
    view.set_smooth(False)
    sharp = view.grab().toImage()
    assert rgb(sharp, 90, 90) == (255, 0, 0)
    assert rgb(sharp, 110, 90) == (0, 0, 0)
    view.set_smooth(True)
    assert 0 < view.grab().toImage().pixelColor(102, 20).red() < 255
    view.set_zoom("actual")
    assert view.grab().toImage().pixelColor(99, 99).red() == 255
    view.clear()
    assert view.image is None
    view.grab()
