"""A page that says why there is nothing to see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from mosaic.ui.shell.widgets.message import Message

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_it_says_what_it_was_told_last_as_plain_text_that_wraps(qtbot: QtBot) -> None:
    page = Message("Choose a run.")
    qtbot.addWidget(page)
    assert page.label.text() == "Choose a run."
    page.say("<b>No</b> episode yet.")
    assert page.label.text() == "<b>No</b> episode yet."
    assert page.label.textFormat() is Qt.TextFormat.PlainText
    assert page.label.wordWrap()
