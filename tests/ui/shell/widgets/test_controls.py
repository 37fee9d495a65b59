"""Small controls: what they say to eyes, to screen readers, and to those who made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mosaic.ui.shell.widgets.controls import choice, plain, tool

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_a_button_acts_when_it_is_clicked_and_is_read_out_by_its_name_or_its_tip(qtbot: QtBot) -> None:
    done: list[str] = []
    named = tool("S", tip="Show only this", name="Solo", checkable=True, act=lambda: done.append("solo"))
    other = tool("M", tip="Hide this")
    for button in (named, other):
        qtbot.addWidget(button)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == ["solo"]
    assert (named.accessibleName(), other.accessibleName()) == ("Solo", "Hide this")
    assert named.isChecked()
    assert not other.isChecked()


def test_a_choice_shows_titles_and_gives_values(qtbot: QtBot) -> None:
    box = choice({"steps": "Steps", "wall": "Wall time"}, tip="Draw over")
    qtbot.addWidget(box)
    box.setCurrentIndex(box.findData("wall"))
    assert (box.currentText(), box.currentData()) == ("Wall time", "wall")
    assert box.accessibleName() == "Draw over"


def test_text_from_elsewhere_is_no_markup_and_can_be_copied(qtbot: QtBot) -> None:
    label = plain("<b>bold</b>", wrap=True)
    qtbot.addWidget(label)
    assert label.textFormat() is Qt.TextFormat.PlainText
    assert label.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    assert label.wordWrap()
