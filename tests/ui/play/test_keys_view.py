"""The keys of an environment: shown, changed in place, kept, and refused when they mean nothing."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.app import key_files
from mosaic.protocol.hands import Binding, KeyMap, SeatNow
from mosaic.ui.play.keys_view import KeyField, keys_said
from tests.ui.play.conftest import Stage
from tests.ui.play.talking import LAKE, now, offer

MINE = SeatNow(actor="agent", operator="random", by="desktop", mine=True)


def test_keys_are_said_with_what_they_do_and_where_they_are_from() -> None:
    assert keys_said(LAKE).replace("\u00a0", " ") == "←: left    ↓: down    →: right    → + Space: leap"
    axis = KeyMap(bindings=[Binding(keys=["A"], axis=0, value=-1.0)], source="digits")
    assert keys_said(axis).replace("\u00a0", " ") == "A: axis 0: -1    (an action by its digit)"
    assert keys_said(KeyMap()) == ""


def test_a_field_takes_keys_that_are_held_together_as_one(qtbot: QtBot) -> None:
    field = KeyField(("Left",))
    qtbot.addWidget(field)
    found: list[tuple[str, ...]] = []
    field.pressed.connect(found.append)
    QTest.keyPress(field, Qt.Key.Key_Space)
    QTest.keyPress(field, Qt.Key.Key_W)
    QTest.keyRelease(field, Qt.Key.Key_W)
    QTest.keyRelease(field, Qt.Key.Key_Space)
    QTest.keyClick(field, Qt.Key.Key_7)
    assert found == [("Space",), ("Space", "W"), ("7",)]
    assert field.text() == "7"


def test_a_key_is_changed_kept_and_played_with_and_the_environments_own_come_back(stage: Stage) -> None:
    stage.open(offer(), now(MINE))
    view = stage.bar.keys
    view.change.click()
    assert not stage.playing.captured, "the keyboard is needed for other things"
    editor = view.editor
    assert editor is not None
    QTest.keyClick(editor.rows[0][0], Qt.Key.Key_A)
    editor.rows[1][2].setText("")
    QTest.keyClicks(editor.rows[1][2], "9")
    assert editor.problem.text() == "Down: 9 is not an action: 0 to 3 are"
    assert not editor.save.isEnabled()
    editor.rows[1][2].setText("")
    QTest.keyClicks(editor.rows[1][2], "1")
    editor.save.click()
    stage.until(lambda: view.editor is None)
    kept = key_files.load(stage.context.root, "FrozenLake-v1")
    assert kept is not None
    assert kept.bindings[0] == Binding(keys=["A"], action=0, name="left")
    stage.playing.capture()
    QTest.keyClick(stage.window.focusWidget() or stage.window, Qt.Key.Key_A)
    assert stage.session.order() == {"do": "act", "actor": "agent", "action": 0}
    view.change.click()
    assert view.editor is not None
    view.editor.forget.click()
    stage.until(lambda: stage.playing.keys == LAKE)
    assert key_files.load(stage.context.root, "FrozenLake-v1") is None
