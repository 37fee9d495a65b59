"""News: shown, acted on, gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mosaic.ui.shell.model.toasts import Toasts
from mosaic.ui.shell.toast_line import ToastLine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_the_newest_is_shown_with_its_action_and_acting_takes_it_away(qtbot: QtBot) -> None:
    toasts, done = Toasts(), []
    line = ToastLine(toasts)
    qtbot.addWidget(line)
    line.show()
    toasts.say("first")
    toasts.say("<b>deleted</b>\x1b", action="Undo", act=lambda: done.append("undone"))
    assert line.label.text() == "<b>deleted</b>\\x1b"
    assert line.label.textFormat() is Qt.TextFormat.PlainText
    QTest.mouseClick(line.button, Qt.MouseButton.LeftButton)
    assert done == ["undone"]
    assert line.toast is None
    assert line.label.text() == ""
    assert not line.button.isVisible()


def test_it_goes_by_itself(qtbot: QtBot) -> None:
    toasts = Toasts()
    line = ToastLine(toasts)
    qtbot.addWidget(line)
    toasts.say("soon gone", secs=0.01, level="bad")
    assert line.label.text() == "⚠ soon gone"
    qtbot.waitUntil(lambda: line.toast is None, timeout=30_000)
