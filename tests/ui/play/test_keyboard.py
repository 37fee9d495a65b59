"""The keyboard while somebody plays: whose each key is, and that none stays down."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from mosaic.protocol.hands import Binding, KeyMap, SeatNow
from tests.ui.play.conftest import Stage
from tests.ui.play.talking import LAKE, now, offer

NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
MINE = SeatNow(actor="agent", operator="random", by="desktop", mine=True)


def send(
    widget: QWidget, kind: QEvent.Type, key: Qt.Key, *, place: int = 0, text: str = "", repeat: bool = False
) -> None:
    QApplication.sendEvent(widget, QKeyEvent(kind, key, NONE, place, 0, 0, text, repeat))


def playing(stage: Stage, *seats: SeatNow, keys: KeyMap = LAKE, **more: Any) -> QWidget:
    stage.open(offer(keys=keys), now(*(seats or (MINE,)), **more))
    stage.window.live.setFocus()
    return stage.window.live


def test_plain_keys_are_the_environments_and_chords_stay_the_windows(stage: Stage) -> None:
    tab = playing(stage)
    QTest.keyClick(tab, Qt.Key.Key_Right)
    QTest.keyClick(tab, Qt.Key.Key_Question)
    QTest.keyClick(tab, Qt.Key.Key_Space)
    assert stage.session.order() == {"do": "act", "actor": "agent", "action": 2}
    assert not stage.window.key_sheet.isVisible()
    assert not stage.window.live.live.held, "Space pauses the view, when nobody plays"
    QTest.keyClick(tab, Qt.Key.Key_K, CTRL)
    assert stage.window.palette_sheet.isVisible()


def test_a_key_that_repeats_itself_is_pressed_once_and_goes_up_by_its_place_on_the_keyboard(
    stage: Stage,
) -> None:
    tab = playing(stage, pace="tick", fps=10.0)
    press, release = QEvent.Type.KeyPress, QEvent.Type.KeyRelease
    send(tab, press, Qt.Key.Key_Left, place=113)
    for _ in range(3):
        send(tab, release, Qt.Key.Key_Left, place=113, repeat=True)
        send(tab, press, Qt.Key.Key_Left, place=113, repeat=True)
    assert list(stage.playing.held) == ["Left"]
    send(tab, release, Qt.Key.Key_4, place=113)
    assert not stage.playing.held
    assert [stage.session.order().get("action") for _ in range(2)] == [0, None]


def test_keys_go_up_when_the_focus_goes_elsewhere(stage: Stage) -> None:
    tab = playing(stage, pace="tick", fps=10.0)
    QTest.keyPress(tab, Qt.Key.Key_Left)
    stage.window.runs.filter.setFocus()
    assert not stage.playing.held
    assert [stage.session.order().get("action") for _ in range(2)] == [0, None]
    QTest.keyClick(stage.window.runs.filter, Qt.Key.Key_Down)
    QTest.keyClicks(stage.window.runs.filter, "abc")
    assert stage.window.runs.filter.text() == "abc"
    QTest.keyClicks(stage.bar.seed, "12")
    assert (stage.bar.seed.text(), stage.playing.held) == ("12", ()), "a field of the bar takes text"


def test_escape_gives_back_and_t_takes_over(stage: Stage) -> None:
    tab = playing(stage, SeatNow(actor="agent", operator="random", by="random"))
    QTest.keyClick(tab, Qt.Key.Key_T)
    assert stage.session.order() == {"do": "take", "actor": "agent"}
    stage.say(now(MINE))
    assert stage.bar.badge.isVisible()
    assert stage.bar.badge.text() == "Keyboard captured: Esc gives back"
    QTest.keyClick(tab, Qt.Key.Key_Escape)
    assert stage.session.order() == {"do": "give", "actor": "agent"}
    stage.say(now())
    assert not stage.bar.badge.isVisible()
    QTest.keyClick(tab, Qt.Key.Key_T)
    stage.session.order()
    stage.say(now(MINE))
    QTest.keyClick(tab, Qt.Key.Key_T)
    assert stage.session.order()["do"] == "give", "T is nobody's key in this environment"


def test_an_environment_that_uses_t_has_it(stage: Stage) -> None:
    tab = playing(stage, keys=KeyMap(bindings=[Binding(keys=["T"], action=1)]))
    QTest.keyClick(tab, Qt.Key.Key_T)
    assert stage.session.order() == {"do": "act", "actor": "agent", "action": 1}


def test_on_the_full_screen_keys_are_played_too(stage: Stage) -> None:
    playing(stage)
    stage.window.live.toggle_full_screen()
    full = stage.window.live.view.window()
    assert full is not stage.window
    QTest.keyClick(full, Qt.Key.Key_Down)
    assert stage.session.order() == {"do": "act", "actor": "agent", "action": 1}
    QTest.keyClick(full, Qt.Key.Key_T)
    assert stage.session.order()["do"] == "give"
    stage.window.live.toggle_full_screen()
