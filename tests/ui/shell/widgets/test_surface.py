"""One environment on screen: frame, scene or text in front, and clicks told."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.render.text import plain
from mosaic.ui.shell.widgets.surface import Surface
from tests.render.shown import ALL, MOVES


@pytest.fixture
def surface(qtbot: QtBot) -> Surface:
    made = Surface("Board")
    qtbot.addWidget(made)
    made.resize(300, 200)
    made.show()
    return made


def test_what_came_last_is_in_front(surface: Surface) -> None:
    assert surface.image is None
    surface.show_pixels(np.full((4, 6, 3), 7, np.uint8))
    assert surface.currentWidget() is surface.frame
    assert surface.image is not None
    assert surface.image.width() == 6
    surface.show_scene(ALL)
    assert surface.currentWidget() is surface.scene
    assert surface.scene.scene == ALL
    assert surface.image is not None
    assert surface.image.width() == 300
    surface.show_scene(MOVES, view="text")
    assert surface.currentWidget() is surface.text
    assert surface.text.toPlainText() == plain(MOVES)
    surface.clear()
    assert surface.image is None
    assert surface.text.toPlainText() == ""


def test_the_keyboard_stays_with_what_is_in_front(qtbot: QtBot, surface: Surface) -> None:
    surface.activateWindow()
    surface.setFocus()
    qtbot.waitUntil(surface.frame.hasFocus)
    surface.show_scene(ALL)
    assert surface.scene.hasFocus()
    surface.show_pixels(np.zeros((4, 6, 3), np.uint8))
    assert surface.frame.hasFocus()


def test_a_click_on_a_hot_area_tells_its_action_only_when_it_is_played(
    qtbot: QtBot, surface: Surface
) -> None:
    said: list[object] = []
    surface.clicked.connect(said.append)
    surface.refused.connect(said.append)
    surface.show_scene(MOVES)

    def click(x: float, y: float) -> None:
        left, top, *_ = surface.scene.fitted().pixels((x, y, 0, 0))
        QTest.mouseClick(surface.scene, Qt.MouseButton.LeftButton, pos=QPoint(round(left), round(top)))

    click(0.5, 0.5)
    assert said == []
    surface.set_playable(True)
    click(0.5, 0.5)
    click(1.5, 0.5)
    assert said == [5, "It is full."]
