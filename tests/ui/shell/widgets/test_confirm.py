"""A question in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mosaic.ui.shell.widgets.confirm import Confirm

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_only_yes_does_it_and_only_once(qtbot: QtBot) -> None:
    done: list[str] = []
    confirm = Confirm()
    qtbot.addWidget(confirm)
    confirm.ask("Stop <b>it</b>?", "Stop", lambda: done.append("first"))
    assert confirm.label.textFormat() is Qt.TextFormat.PlainText
    QTest.mouseClick(confirm.no, Qt.MouseButton.LeftButton)
    assert confirm.isHidden()
    confirm.ask("Stop it?", "Stop", lambda: done.append("second"))
    QTest.keyClick(confirm, Qt.Key.Key_Escape)
    confirm.ask("Stop it?", "Stop", lambda: done.append("third"))
    QTest.mouseClick(confirm.yes, Qt.MouseButton.LeftButton)
    QTest.mouseClick(confirm.yes, Qt.MouseButton.LeftButton)
    assert done == ["third"]
