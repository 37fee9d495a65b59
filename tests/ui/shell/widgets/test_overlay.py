"""A sheet over the window: where it lies, how it goes, and where the focus is then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from mosaic.ui.shell.widgets.overlay import Overlay

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    return made


def test_it_lies_in_the_upper_middle_and_stays_inside_when_the_window_shrinks(window: QWidget) -> None:
    sheet = Overlay(window, wide=500, high=400)
    assert sheet.isHidden()
    sheet.open()
    assert sheet.geometry() == QRect(150, 56, 500, 400)
    window.resize(300, 200)
    assert sheet.geometry() == QRect(20, 56, 260, 120)


def test_esc_closes_it_and_another_key_does_not(window: QWidget) -> None:
    sheet = Overlay(window, wide=500, high=400)
    sheet.open()
    QTest.keyClick(sheet, Qt.Key.Key_A)
    assert sheet.isVisible()
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


def test_a_click_beside_it_closes_it(window: QWidget) -> None:
    sheet = Overlay(window, wide=500, high=400)
    sheet.open()
    QTest.mouseClick(window, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert not sheet.isVisible()
