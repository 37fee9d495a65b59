"""The palette: actions and runs found by a few letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.palette import Palette
from mosaic.ui.window import Window
from tests.ui.rows import row, run_id

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

CTRL = Qt.KeyboardModifier.ControlModifier


def test_the_palette_finds_actions_and_runs(qtbot: QtBot, context: Context) -> None:
    window = Window(context)
    qtbot.addWidget(window)
    window.show()
    context.runs.update([row(1, name="a lake"), row(2, name="a pole")])
    sheet = window.palette_sheet
    QTest.keyClick(window.runs.list, Qt.Key.Key_K, CTRL)
    assert sheet.isVisible()
    QTest.keyClicks(sheet.line, "pole")
    assert "a pole" in sheet.list.item(0).text()
    QTest.keyClick(sheet.line, Qt.Key.Key_Return)
    assert not sheet.isVisible()
    assert context.selection.focus == run_id(2)
    sheet.open()
    QTest.keyClicks(sheet.line, "show details")
    QTest.keyClick(sheet.line, Qt.Key.Key_Return)
    assert window.right_tabs.currentWidget() is window.details
    sheet.open()
    QTest.keyClick(sheet.line, Qt.Key.Key_Down)
    assert sheet.list.currentRow() == 1
    QTest.keyClick(sheet.line, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    window.close()


def test_only_what_can_be_done_now_is_offered_and_it_is_done_once_the_sheet_is_gone(
    qtbot: QtBot, context: Context
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    sheet, seen = Palette(window, context), list[bool]()
    window.show()
    context.actions.add(
        Action(id="a.go", title="Go", call=lambda: seen.append(sheet.isVisible()), keys=("G",)),
        Action(id="a.never", title="Never", call=lambda: None, when=lambda: False),
        Action(id="a.hidden", title="Hidden", call=lambda: None, hidden=True),
    )
    sheet.open()
    assert [sheet.list.item(at).text() for at in range(sheet.list.count())] == ["Go    G"]
    QTest.keyClick(sheet.line, Qt.Key.Key_Return)
    assert seen == [False]


def test_up_and_down_stop_at_the_ends_and_enter_on_nothing_does_nothing(
    qtbot: QtBot, context: Context
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    sheet = Palette(window, context)
    window.show()
    context.runs.update([row(number) for number in range(1, 4)])
    sheet.open()
    for key, at in ((Qt.Key.Key_Up, 0), (Qt.Key.Key_PageDown, 2), (Qt.Key.Key_Down, 2), (Qt.Key.Key_Up, 1)):
        QTest.keyClick(sheet.line, key)
        assert sheet.list.currentRow() == at
    QTest.keyClicks(sheet.line, "zzzz")
    assert sheet.list.count() == 0
    QTest.keyClick(sheet.line, Qt.Key.Key_Return)
    assert sheet.isVisible()
    assert context.selection.chosen == ()
