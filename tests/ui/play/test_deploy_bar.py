"""Another operator for a seat: picked or typed, looked up, asked for; a real one decides in a real seat."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.app import playing as sessions
from mosaic.app import reading
from mosaic.protocol.hands import SeatNow
from mosaic.ui.play.model.playing import Playing
from mosaic.ui.shell.context import Context
from mosaic.ui.window import Window
from tests.daemons import Daemon, daemon
from tests.ui.play.conftest import WAIT_MS, Stage
from tests.ui.play.talking import now, offer
from tests.ui.running import focus

__all__ = ["daemon"]

PUSH = "def act(view):\n    return 2\n"


def two() -> list[SeatNow]:
    return [SeatNow(actor=name, operator="random", by="random") for name in ("a", "b")]


def test_a_key_opens_it_and_return_puts_whoever_is_typed_into_the_seat(stage: Stage) -> None:
    stage.open(offer(), now())
    bar = stage.bar.deploy
    assert not bar.isVisible()
    stage.window.live.setFocus()
    QTest.keyClick(stage.window.live, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    stage.until(lambda: bar.isVisible() and bar.who.count() > 3)
    assert not bar.seat.isVisible(), "there is one seat"
    bar.who.setEditText(" noop ")
    QTest.keyClick(bar.who, Qt.Key.Key_Return)
    asked = stage.session.order
    stage.until(stage.session.has_order)
    assert asked() == {"do": "deploy", "seat": {"kind": "noop", "name": "noop"}}
    stage.until(lambda: not bar.isVisible())
    stage.say(now(SeatNow(actor="agent", operator="random", by="random", loading="noop")))
    assert stage.bar.seats.texts(0)[-1] == "noop is being loaded"


def test_of_several_seats_one_is_chosen(stage: Stage) -> None:
    stage.open(offer("a", "b"), now(*two()))
    stage.bar.other.click()
    bar = stage.bar.deploy
    assert [bar.seat.itemText(line) for line in range(bar.seat.count())] == ["a", "b"]
    bar.seat.setCurrentIndex(1)
    stage.say(now(*two(), tick=1))
    assert bar.seat.currentText() == "b", "the choice stays while the session goes on"
    bar.who.setEditText("noop")
    bar.go.click()
    assert not bar.go.isEnabled(), "it is being looked up"
    stage.until(stage.session.has_order)
    assert stage.session.order()["actor"] == "b"


def test_whoever_there_is_not_is_not_asked_for_and_the_field_stays(stage: Stage) -> None:
    stage.open(offer(), now())
    stage.bar.other.click()
    bar = stage.bar.deploy
    for text, why in (("randm", "'randm' is neither an operator, nor a run, nor a file"), ("", "Who shall")):
        bar.who.setEditText(text)
        bar.go.click()
        stage.until(lambda why=why: stage.bar.trouble.text().startswith(why))  # type: ignore[misc]
        assert bar.isVisible()
        assert bar.go.isEnabled()
    assert not stage.session.has_order()


def test_a_real_operator_is_put_into_a_real_seat_and_decides_from_then_on(
    qtbot: QtBot, context: Context, daemon: Daemon, tmp_path: Path
) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text(PUSH)
    run_id = sessions.play(
        context.root,
        "FrozenLake-v1",
        {"*": "noop"},
        seeds=range(1, 50),
        parameters={"env.is_slippery": False},
        pace="tick",
        fps=20.0,
    )
    window = Window(context)
    qtbot.addWidget(window)
    window.show()
    focus(context, daemon, run_id)
    bar = window.play
    qtbot.waitUntil(lambda: bar.playing.now is not None and bar.playing.now.tick > 0, timeout=WAIT_MS)
    bar.other.click()
    bar.deploy.who.setEditText(f"python:{mind}")
    bar.deploy.go.click()
    qtbot.waitUntil(lambda: bar.seats.texts(0)[1:3] == [f"python:{mind}"] * 2, timeout=WAIT_MS)
    told = bar.playing.now
    assert told is not None
    at = (told.episode, told.tick)
    qtbot.waitUntil(lambda: _stands(bar.playing) > (at[0], at[1] + 1), timeout=WAIT_MS)
    bar.stop.click()
    qtbot.waitUntil(lambda: not bar.playing.connected, timeout=WAIT_MS)
    daemon.wait(run_id)
    actions = reading.ask(
        context.root,
        run_id,
        lambda reader: [step.action for one in reader.episodes() for step in reader.steps(one.index)],
    )
    first = actions.index(2)
    assert actions == [0] * first + [2] * (len(actions) - first)
    window.close()


def _stands(playing: Playing) -> tuple[int, int]:
    now = playing.now
    return (-1, -1) if now is None else (now.episode, now.tick)
