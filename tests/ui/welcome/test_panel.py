"""The first steps: each opens a filled form elsewhere, and the real runners say how they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mosaic.ui.launch.launching import Launching
from mosaic.ui.launch.model.catalog import Catalog
from mosaic.ui.shell.widgets.bits import Note
from mosaic.ui.welcome.panel import WelcomePanel

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


def welcome(qtbot: QtBot, context: Context) -> WelcomePanel:
    launching = Launching(context, Catalog())
    panel = WelcomePanel(context, launching.catalog, look=launching.look)
    qtbot.addWidget(panel)
    panel.show()
    return panel


def test_each_step_opens_its_form(qtbot: QtBot, context: Context) -> None:
    asked: list[tuple[str, ...]] = []

    def heard(*what: str) -> None:
        asked.append(what)

    context.asks.launch.connect(heard)
    context.asks.run_script.connect(lambda: asked.append(()))
    panel = welcome(qtbot, context)
    assert not panel.buttons["frozenlake"].isEnabled()
    qtbot.waitUntil(panel.buttons["frozenlake"].isEnabled, timeout=30_000)
    for name in ("frozenlake", "cartpole", "script"):
        QTest.mouseClick(panel.buttons[name], Qt.MouseButton.LeftButton)
    assert asked == [("tabular", "q_learning", "FrozenLake-v1"), ("sb3", "ppo", "CartPole-v1"), ()]
    said = [note.text() for note in panel.findChildren(Note)]
    assert any(text.startswith("Installs Stable-Baselines3 first (1 GB") for text in said)
    assert f"Everything you run is kept in {context.root.path}" in said


def test_the_first_steps_can_be_asked_for_later_and_left_again(qtbot: QtBot, context: Context) -> None:
    panel = welcome(qtbot, context)
    assert not panel.leave.isVisible()
    (command,) = panel.commands()
    with qtbot.waitSignal(panel.changed, timeout=30_000):
        command.call()
    assert panel.asked
    assert panel.title.text() == "First steps"
    QTest.mouseClick(panel.leave, Qt.MouseButton.LeftButton)
    assert not panel.asked
    panel.ask()
    context.asks.watch.emit("01JROW0000000000000000000A")
    assert not panel.asked
