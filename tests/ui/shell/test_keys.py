"""Keys: what they do, where, and that typing text is never a command."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from mosaic.ui.shell.keys import Keys, key_text, takes_text
from mosaic.ui.shell.model.actions import Action, Actions
from mosaic.ui.window import Window

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.mark.parametrize(
    ("key", "held", "typed", "said"),
    [
        (Qt.Key.Key_K, CTRL, "\x0b", "Ctrl+K"),
        (Qt.Key.Key_K, NONE, "k", "K"),
        (Qt.Key.Key_Question, SHIFT, "?", "?"),
        (Qt.Key.Key_Less, SHIFT, "<", "<"),
        (Qt.Key.Key_Right, SHIFT, "", "Shift+Right"),
        (Qt.Key.Key_Right, ALT, "", "Alt+Right"),
        (Qt.Key.Key_Space, NONE, " ", "Space"),
        (Qt.Key.Key_5, NONE, "5", "5"),
        (Qt.Key.Key_Delete, NONE, "\x7f", "Del"),
        (Qt.Key.Key_Escape, NONE, "\x1b", "Esc"),
        (Qt.Key.Key_Shift, SHIFT, "", ""),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.KeypadModifier, "", "Left"),
    ],
)
def test_keys_are_written_as_the_actions_write_them(
    key: Qt.Key, held: Qt.KeyboardModifier, typed: str, said: str
) -> None:
    assert key_text(QKeyEvent(QEvent.Type.KeyPress, key, held, typed)) == said


class Stage:
    """A window with one of everything that can have the focus, and a scope of its own."""

    def __init__(self, qtbot: QtBot) -> None:
        self.done: list[str] = []
        self.window, self.scope = QWidget(), QWidget()
        qtbot.addWidget(self.window)
        self.line, self.list, self.button, self.spin = (
            QLineEdit(),
            QListWidget(),
            QPushButton("b"),
            QSpinBox(),
        )
        self.log, self.inner = QPlainTextEdit(), QPushButton("inner")
        self.log.setReadOnly(True)
        column = QVBoxLayout(self.window)
        for widget in (self.line, self.list, self.button, self.spin, self.log, self.scope):
            column.addWidget(widget)
        QVBoxLayout(self.scope).addWidget(self.inner)
        actions = Actions()
        for name, keys, scope in (
            ("w.help", ("?",), "window"),
            ("w.palette", ("Ctrl+K",), "window"),
            ("w.undo", ("Ctrl+Z",), "window"),
            ("s.play", ("Space", "K"), "stage"),
            ("s.next", ("Right",), "stage"),
        ):
            call = partial(self.done.append, name)
            actions.add(Action(id=name, title=name, call=call, keys=keys, scope=scope))
        self.keys = Keys(self.window, actions)
        self.keys.add_scope("stage", self.scope)
        self.window.show()

    def press(self, widget: QWidget, key: Qt.Key | str, held: Qt.KeyboardModifier = NONE) -> list[str]:
        widget.setFocus()
        self.done.clear()
        if isinstance(key, str):
            QTest.keyClicks(widget, key)
        else:
            QTest.keyClick(widget, key, held)
        return list(self.done)


def test_what_is_typed_into_a_text_field_is_text(qtbot: QtBot) -> None:
    stage = Stage(qtbot)
    assert stage.press(stage.line, "a? k") == []
    assert stage.line.text() == "a? k"
    assert stage.press(stage.line, Qt.Key.Key_Z, CTRL) == []
    assert stage.press(stage.line, Qt.Key.Key_K, CTRL) == ["w.palette"]
    assert stage.press(stage.spin, "?") == []
    assert takes_text(stage.line)
    assert not takes_text(stage.log)
    stage.keys.close()


def test_elsewhere_plain_keys_are_commands(qtbot: QtBot) -> None:
    stage = Stage(qtbot)
    for widget in (stage.list, stage.button, stage.log, stage.inner):
        assert stage.press(widget, "?") == ["w.help"]
    assert stage.press(stage.list, Qt.Key.Key_Z, CTRL) == ["w.undo"]
    stage.keys.close()


def test_a_scope_has_its_keys_inside_and_where_nobody_else_needs_them(qtbot: QtBot) -> None:
    stage = Stage(qtbot)
    assert stage.press(stage.inner, Qt.Key.Key_Right) == ["s.next"]
    assert stage.press(stage.list, Qt.Key.Key_Right) == [], "a list moves by arrows itself"
    assert stage.press(stage.button, Qt.Key.Key_Right) == ["s.next"]
    assert stage.press(stage.inner, Qt.Key.Key_Space) == [], "Space presses the button in focus"
    assert stage.press(stage.inner, Qt.Key.Key_K) == ["s.play"]
    stage.scope.hide()
    assert stage.press(stage.button, Qt.Key.Key_Right) == []
    stage.keys.close()


def test_no_two_actions_of_the_window_want_the_same_key(qtbot: QtBot, context: Context) -> None:
    window = Window(context)
    qtbot.addWidget(window)
    assert context.actions.clashes == []
    assert len(context.actions.all()) > 20
    window.close()


class Player:
    """A captor that takes some keys and writes down what comes."""

    def __init__(self, *keys: str) -> None:
        self.keys = keys
        self.told: list[str] = []

    def takes(self, key: str, focus: QWidget) -> bool:
        return key in self.keys and not takes_text(focus)

    def pressed(self, key: str) -> None:
        self.told.append(f"+{key}")

    def released(self, key: str) -> None:
        self.told.append(f"-{key}")

    def lost(self) -> None:
        self.told.append("lost")


def test_who_captured_the_keyboard_is_told_once_of_each_key_and_chords_stay_the_windows(
    qtbot: QtBot,
) -> None:
    stage = Stage(qtbot)
    player = Player("K", "?")
    stage.keys.capture_for(player)
    assert stage.press(stage.inner, Qt.Key.Key_K) == [], "elsewhere this plays"
    assert stage.press(stage.inner, Qt.Key.Key_K, CTRL) == ["w.palette"]
    assert stage.press(stage.inner, Qt.Key.Key_Right) == ["s.next"], "a key it does not want"
    player.told.clear()
    for repeats in (False, True, True):
        for kind in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            event = QKeyEvent(kind, Qt.Key.Key_K, NONE, 45, 0, 0, "k", repeats)
            QApplication.sendEvent(stage.inner, event)
    assert player.told == ["+K"]
    stage.keys.close()
