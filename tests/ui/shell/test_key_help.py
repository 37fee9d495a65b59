"""The list of keys: all that can be pressed, by section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from mosaic.ui.shell.key_help import KeyHelp
from mosaic.ui.shell.model.actions import Action, Actions
from mosaic.ui.window import Window
from tests.ui.rows import row

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


def test_a_question_mark_shows_every_key(qtbot: QtBot, context: Context) -> None:
    window = Window(context)
    qtbot.addWidget(window)
    window.show()
    context.runs.update([row(1)])
    window.runs.list.setFocus()
    QTest.keyClicks(window.runs.list, "?")
    assert window.key_sheet.isVisible()
    texts = {label.text() for label in window.key_sheet.findChildren(QLabel)}
    assert {"Ctrl+K", "? / F1", "Stop…"} <= texts
    window.key_sheet.dismiss()
    window.close()


def test_what_has_no_key_or_is_hidden_is_left_out_and_what_came_since_is_there(qtbot: QtBot) -> None:
    window, actions = QWidget(), Actions()
    qtbot.addWidget(window)
    window.resize(1000, 700)
    sheet = KeyHelp(window, actions)
    window.show()

    def shown() -> set[str]:
        sheet.open()
        return {label.text() for label in sheet.findChildren(QLabel)} - {"Keys   (Esc closes)"}

    actions.add(
        Action(id="help.keys", title="Show keys", call=lambda: None, keys=("?", "F1")),
        Action(id="help.about", title="About", call=lambda: None),
        Action(id="speed.one", title="Speed 1", call=lambda: None, keys=("1",), hidden=True),
    )
    assert shown() == {"Help", "? / F1", "Show keys"}
    actions.add(Action(id="run.stop", title="<b>Stop</b>", call=lambda: None, keys=("S",)))
    assert {"Run", "S", "<b>Stop</b>"} <= shown()
