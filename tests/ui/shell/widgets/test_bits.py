"""The small parts: notes that hide while empty, folds, pills, boxes the wheel does not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from mosaic.ui.shell.theme import Theme, tone
from mosaic.ui.shell.widgets.bits import Choice, Fold, Note, Pills, reveal

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def placed(qtbot: QtBot, *widgets: QWidget) -> QWidget:
    around = QWidget()
    qtbot.addWidget(around)
    column = QVBoxLayout(around)
    for widget in widgets:
        column.addWidget(widget)
    around.show()
    return around


def test_a_note_is_plain_text_and_hidden_while_it_is_empty(qtbot: QtBot) -> None:
    note, other = Note("<b>as it is</b>"), Note()
    around = placed(qtbot, note, other)
    assert around.isVisible()
    assert note.isVisible()
    assert note.textFormat() == Qt.TextFormat.PlainText
    assert not other.isVisible()
    other.say("now")
    note.say("")
    assert (other.isVisible(), note.isVisible()) == (True, False)


def test_a_note_that_speaks_before_it_has_a_place_is_no_window(qtbot: QtBot) -> None:
    note = Note()
    note.say("early")
    assert note not in QApplication.topLevelWidgets() or not note.isVisible()
    around = placed(qtbot, note)
    assert around.isVisible()
    assert note.isVisible()
    label = QLabel("x")
    reveal(label, shown=False)
    around = placed(qtbot, label)
    assert around.isVisible()
    assert not label.isVisible()


def test_a_fold_opens_by_mouse_and_key(qtbot: QtBot) -> None:
    inside = QLabel("inside")
    fold = Fold("More", inside)
    around = placed(qtbot, fold)
    assert around.isVisible()
    assert not inside.isVisible()
    QTest.mouseClick(fold.head, Qt.MouseButton.LeftButton)
    assert inside.isVisible()
    fold.head.setFocus()
    QTest.keyClick(fold.head, Qt.Key.Key_Space)
    assert not inside.isVisible()


def test_one_pill_is_down_at_a_time_and_only_the_user_says_so(qtbot: QtBot) -> None:
    pills = Pills([("a", "A"), ("b", "B")], name="Letters")
    around = placed(qtbot, pills)
    assert around.isVisible()
    said: list[str] = []
    pills.chosen.connect(said.append)
    pills.choose("a")
    assert said == []
    QTest.mouseClick(pills.button("b"), Qt.MouseButton.LeftButton)
    assert said == ["b"]
    assert not pills.button("a").isChecked()
    assert pills.button("b").accessibleName() == "Letters: B"


def test_the_wheel_over_a_box_without_focus_changes_nothing(qtbot: QtBot) -> None:
    box = Choice(["a", "b"])
    around = placed(qtbot, box, QLabel("below"))
    assert around.isVisible()
    assert box.focusPolicy() == Qt.FocusPolicy.StrongFocus
    box.clearFocus()
    from PySide6.QtCore import QPoint, QPointF
    from PySide6.QtGui import QWheelEvent

    event = QWheelEvent(
        QPointF(2, 2),
        QPointF(box.mapToGlobal(QPoint(2, 2))),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(box, event)
    assert box.currentText() == "a"


def test_a_change_of_theme_keeps_meaning_and_marks_and_bears_widgets_that_are_gone(
    qtbot: QtBot, qapp: QApplication
) -> None:
    note, gone = Note("bad news", meaning="bad"), Note("gone")
    pills = Pills([("a", "A"), ("b", "B")], name="Letters")
    around = placed(qtbot, note, pills)
    assert around.isVisible()
    pills.choose("a")
    before = qapp.palette(), qapp.styleSheet(), qapp.style().objectName()
    theme = Theme(qapp, "light")
    try:
        light = note.palette().color(QPalette.ColorRole.WindowText)
        theme.choose("dark")
        shiboken6.delete(gone)
        dark = tone("bad")
        qtbot.waitUntil(lambda: note.palette().color(QPalette.ColorRole.WindowText) == dark, timeout=30_000)
        assert light != dark
        qtbot.waitUntil(lambda: pills.button("a").font().bold(), timeout=30_000)
    finally:
        theme.deleteLater()
        qapp.setStyle(before[2])
        qapp.setPalette(before[0])
        qapp.setStyleSheet(before[1])
