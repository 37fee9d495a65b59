"""The controls of a session: what each asks for, what they show, and a real session played through them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.app import playing as sessions
from mosaic.app import reading
from mosaic.protocol.hands import SeatNow
from mosaic.ui.shell.context import Context
from mosaic.ui.shell.widgets.scene_view import SceneView
from mosaic.ui.window import Window
from mosaic_worker.common.scene import Hot, Scene
from tests.daemons import Daemon, daemon
from tests.ui.play.conftest import Stage
from tests.ui.play.talking import now, offer
from tests.ui.running import focus

__all__ = ["daemon"]

WAIT_MS = 60_000


def test_without_a_session_there_are_no_controls(stage: Stage) -> None:
    assert not stage.bar.isVisible()
    assert all(not action.when() for action in stage.context.actions.section("session"))


def test_every_button_is_an_order(stage: Stage) -> None:
    stage.open(offer(), now(pace="tick", fps=30.0))
    bar = stage.bar
    bar.seed.setText("12")
    asked: list[dict[str, Any]] = []
    for button in (bar.take, bar.pause, bar.slower, bar.faster, bar.reset, bar.stop):
        button.click()
        asked.append(stage.session.order())
    assert asked == [
        {"do": "take", "actor": "agent"},
        {"do": "pause"},
        {"do": "pace", "pace": "tick", "fps": 15.0},
        {"do": "pace", "pace": "tick", "fps": 60.0},
        {"do": "reset", "seed": 12},
        {"do": "quit"},
    ]
    bar.pace.setCurrentIndex(bar.pace.findData("turn"))
    bar.pace.activated.emit(bar.pace.currentIndex())
    assert stage.session.order() == {"do": "pace", "pace": "turn"}
    bar.step.click()
    assert [stage.session.order()["do"] for _ in range(2)] == ["pause", "step"]


def test_keys_of_the_live_view_are_orders_too_and_ctrl_works_from_anywhere(stage: Stage) -> None:
    stage.open(offer(), now(paused=True))
    stage.window.live.setFocus()
    for key in (Qt.Key.Key_P, Qt.Key.Key_N):
        QTest.keyClick(stage.window.live, key)
    stage.window.runs.list.setFocus()
    QTest.keyClick(stage.window.runs.list, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    assert [stage.session.order()["do"] for _ in range(3)] == ["go", "step", "take"]


def test_what_was_refused_is_said_in_its_place_and_goes_with_the_next(stage: Stage) -> None:
    stage.open(offer(), now())
    stage.bar.take.click()
    stage.session.order(refused="eve has this seat")
    stage.until(stage.bar.trouble.isVisible)
    assert stage.bar.trouble.text() == "Taking over was refused: eve has this seat"
    stage.bar.pause.click()
    stage.session.order()
    stage.until(lambda: not stage.bar.trouble.isVisible())


def test_several_seats_have_a_line_and_a_button_each(stage: Stage) -> None:
    seats = [SeatNow(actor=name, operator="random", by="random", step=3, returned=0.5) for name in ("a", "b")]
    stage.open(offer("a", "b"), now(*seats))
    view = stage.bar.seats
    assert view.texts(1) == ["b", "random", "random", "3", "0.5", ""]
    view.buttons[1].click()
    assert stage.session.order() == {"do": "take", "actor": "b"}
    stage.say(now(seats[0], SeatNow(actor="b", operator="random", by="desktop", mine=True, waits=True)))
    assert view.texts(1)[2:] == ["you", "0", "0", "waits for you"]
    view.buttons[1].click()
    assert stage.session.order() == {"do": "give", "actor": "b"}


def test_the_frame_is_taken_when_the_session_moved_and_not_at_the_timers_turn(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.open(offer(), now())
    looked: list[None] = []
    monkeypatch.setattr(stage.window.live, "_tick", lambda: looked.append(None))
    monkeypatch.setattr(type(stage.window.live.live), "watching", True)
    stage.window.live._timer.stop()
    stage.say(now(tick=1))
    assert len(looked) == 1


@pytest.fixture
def window(qtbot: QtBot, context: Context) -> Window:
    made = Window(context)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    return made


def test_a_person_plays_a_real_session_with_keys_and_ends_it(
    qtbot: QtBot, context: Context, daemon: Daemon, window: Window
) -> None:
    run_id = sessions.play(
        context.root,
        "FrozenLake-v1",
        {"*": "person"},
        seeds=[3],
        parameters={"env.is_slippery": False},
    )
    focus(context, daemon, run_id)
    bar, tab = window.play, window.live

    def waits_at(step: int) -> bool:
        seat = bar.playing.seat
        return seat is not None and seat.waits and seat.step == step

    qtbot.waitUntil(lambda: waits_at(0) and tab.live.on_screen is not None, timeout=WAIT_MS)
    assert bar.badge.text() == "Keyboard captured: Esc leaves"
    frames = [tab.view.image]
    for step, key in enumerate((Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right)):
        QTest.keyClick(tab, key)
        qtbot.waitUntil(lambda step=step: waits_at(step + 1), timeout=WAIT_MS)  # type: ignore[misc]
        qtbot.waitUntil(lambda: tab.view.image != frames[-1], timeout=WAIT_MS)
        frames.append(tab.view.image)
    for step, key in enumerate((Qt.Key.Key_Down, Qt.Key.Key_Right), start=4):
        QTest.keyClick(tab, key)
        qtbot.waitUntil(lambda step=step: waits_at(step), timeout=WAIT_MS)  # type: ignore[misc]
    QTest.keyClick(tab, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: not bar.playing.connected, timeout=WAIT_MS)
    assert not bar.isVisible()
    daemon.wait(run_id)
    episodes = reading.ask(context.root, run_id, lambda reader: list(reader.episodes()))
    assert [(one.seed, one.steps, one.return_) for one in episodes] == [(3, 6, 1.0)]
    window.close()


def test_clicks_on_a_scene_are_actions_while_the_seat_is_ours_and_say_why_they_are_none(
    stage: Stage,
) -> None:
    board = SceneView("Board")
    stage.qtbot.addWidget(board)
    board.resize(400, 200)
    board.show()
    stage.bar.plays_on(board)
    stage.open(offer(), now())
    board.show_scene(Scene(2, 1, hot=(Hot(0, 0, 1, 1, 3), Hot(1, 0, 1, 1, why="it is full"))))
    at = board.fitted()

    def click(x: float) -> None:
        left, top, width, height = at.pixels((x, 0, 1, 1))
        middle = QPoint(int(left + width / 2), int(top + height / 2))
        QTest.mouseClick(board, Qt.MouseButton.LeftButton, pos=middle)

    click(0)
    assert not stage.playing.trouble, "it only shows, while somebody else plays"
    stage.say(now(SeatNow(actor="agent", operator="x", by="desktop", mine=True, waits=True, step=4)))
    click(0)
    assert stage.session.order() == {"do": "act", "actor": "agent", "action": 3, "step": 4}
    click(1)
    assert stage.bar.trouble.text() == "it is full"


def test_what_a_session_does_not_obey_is_not_offered(stage: Stage) -> None:
    stage.open(msgspec.structs.replace(offer(), allowed=["quit"]), now())
    assert not stage.bar.reset.isVisible()
    assert not stage.bar.seed.isVisible()
    assert not stage.bar.other.isVisible()
    assert stage.bar.stop.isVisible()
