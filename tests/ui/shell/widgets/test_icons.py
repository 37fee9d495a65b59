"""The signs of a player: each another one, mirrored where they point back, dim where they cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage, QPalette

from mosaic.ui.shell.widgets.icons import Sign, icon

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

SIDE = QSize(64, 64)


def drawn(sign: Sign, mode: QIcon.Mode = QIcon.Mode.Normal) -> QImage:
    palette = QPalette()
    palette.setColor(QPalette.ColorGroup.Active, QPalette.ColorRole.ButtonText, QColor("#00ff00"))
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText, QColor("#0000ff"))
    return icon(sign, palette).pixmap(SIDE, 1.0, mode).toImage()


def colours(image: QImage) -> set[str]:
    """Those that cover, without the edges."""
    return {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }


def test_every_sign_is_drawn_and_no_two_look_alike(qtbot: QtBot) -> None:
    images = [drawn(sign) for sign in get_args(Sign)]
    assert all(colours(image) == {"#00ff00"} for image in images)
    assert all(one != other for at, one in enumerate(images) for other in images[:at])


@pytest.mark.parametrize(("on", "back"), [("forward", "back"), ("last", "first"), ("next", "previous")])
def test_what_goes_back_is_what_goes_on_in_a_mirror(qtbot: QtBot, on: Sign, back: Sign) -> None:
    one, other = drawn(on), drawn(back)
    differing = sum(
        (one.pixelColor(63 - x, y).alpha() > 127) != (other.pixelColor(x, y).alpha() > 127)
        for x in range(64)
        for y in range(64)
    )
    assert differing < 64, "no more than the edges"


def test_a_sign_that_cannot_be_used_has_the_colour_of_that(qtbot: QtBot) -> None:
    assert colours(drawn("play", QIcon.Mode.Disabled)) == {"#0000ff"}
