"""The modes in the window: what each shows, what it remembers, and a session started from a form."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.protocol.sessions import EVERYBODY
from mosaic.runs import folder
from mosaic.ui.play.starting import memory_file, operators
from mosaic.ui.shell import layout
from mosaic.ui.shell.context import Context
from mosaic.ui.window import Window
from tests.daemons import Daemon, daemon

__all__ = ["daemon"]

WAIT_MS = 60_000


def opened(qtbot: QtBot, context: Context) -> Window:
    window = Window(context)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    window.show_part(window.modes)
    return window


def test_training_is_seen_in_agent_mode_alone_and_the_mode_is_remembered(
    qtbot: QtBot, context: Context
) -> None:
    window = opened(qtbot, context)
    assert window.launch.isVisible(), "as before, until somebody chooses"
    window.modes.pills.button("human").click()
    assert not window.launch.isVisible()
    assert window.modes.human.isVisible()
    QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert window.modes.hybrid.isVisible()
    window.close()
    assert layout.load(context.root).mode == "hybrid"
    again = opened(qtbot, context)
    assert again.modes.hybrid.isVisible()
    context.asks.launch.emit("tabular", "q_learning", "FrozenLake-v1")
    assert again.launch.isVisible(), "whoever asks for a training is shown its form"
    again.close()


def test_every_kind_of_operator_is_offered_and_a_person_is_not_their_own_opponent(
    qtbot: QtBot, context: Context
) -> None:
    window = opened(qtbot, context)
    window.modes.modes.choose("hybrid")
    setups = window.modes.starting.setups
    qtbot.waitUntil(lambda: bool(setups["hybrid"].operators), timeout=WAIT_MS)
    titles = {one.title for one in operators()}
    box = window.modes.hybrid.seats.choices[0]
    assert {box.itemText(at) for at in range(box.count())} == titles
    assert {"A person", "Chance", "A trained policy"} <= titles
    setups["human"].basics.set("env_id", "pettingzoo.classic.connect_four_v3")
    against = window.modes.human.seats.choices[0]
    assert "A person" not in {against.itemText(at) for at in range(against.count())}
    window.close()


def test_a_seat_is_filled_in_with_what_its_card_asks_for(qtbot: QtBot, context: Context) -> None:
    window = opened(qtbot, context)
    window.modes.modes.choose("hybrid")
    setup, panel = window.modes.starting.setups["hybrid"], window.modes.hybrid
    qtbot.waitUntil(lambda: bool(setup.operators), timeout=WAIT_MS)
    assert not panel.seats.arguments[0].isVisible()
    box = panel.seats.choices[0]
    box.activated.emit(box.findText("A trained policy"))
    assert panel.seats.arguments[0].isVisible()
    assert panel.parameters is not None
    assert set(panel.parameters.rows) == {"sample"}
    assert not panel.button.isEnabled()
    assert panel.why.text().startswith("A trained policy: name RUN")
    QTest.keyClicks(panel.seats.arguments[0], "nobody:best")
    qtbot.waitUntil(lambda: "is neither an operator, nor a run" in panel.why.text(), timeout=WAIT_MS)
    setup.basics.set("env_id", "pettingzoo.classic.tictactoe_v3")
    panel.seats.add.click()
    assert [line is not None and line.text() for line in panel.seats.actors] == [False, "player_0"]
    assert not panel.seats.arguments[1].isVisible()
    assert window.modes.starting.setups["hybrid"].seats[0].actor == EVERYBODY
    window.close()


def test_a_person_starts_a_session_and_is_brought_to_its_frames(
    qtbot: QtBot, context: Context, daemon: Daemon
) -> None:
    window = opened(qtbot, context)
    window.modes.modes.choose("human")
    setup = window.modes.starting.setups["human"]
    setup.basics.set("seeds", "5")
    qtbot.waitUntil(window.modes.human.button.isEnabled, timeout=WAIT_MS)
    assert any(text.startswith("✓ environment") for text in window.modes.human.preflight.texts)
    QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: context.selection.focus is not None, timeout=WAIT_MS)
    run_id = context.selection.focus
    assert run_id is not None
    assert window.centre.currentWidget() is window.live
    context.runs.update(daemon.client.runs())
    qtbot.waitUntil(lambda: window.play.playing.waits_for_us, timeout=WAIT_MS)
    job = folder.read_manifest(context.root.run(run_id)).spec.job
    assert job is not None
    assert (job.kind, job.env_id, job.seed) == ("session", "FrozenLake-v1", 5)
    window.play.playing.quit()
    daemon.wait(run_id)
    qtbot.waitUntil(lambda: memory_file(context.root).exists(), timeout=WAIT_MS)
    window.close()
