"""Live frames of a real run: they change, cost nothing when nobody looks, and their lack is explained."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.protocol.runs import ENDED
from mosaic.ui.live.model import Phase
from mosaic.ui.live.tab import LiveTab
from mosaic.ui.parts import make_live
from mosaic.ui.shell.context import Context
from tests.daemons import Daemon, daemon
from tests.ui.running import Counting, focus, start_counting

__all__ = ["daemon"]

WAIT = 60_000


@pytest.fixture
def tab(qtbot: QtBot, context: Context) -> Iterator[LiveTab]:
    made = make_live(context)
    qtbot.addWidget(made)
    made.resize(600, 500)
    made.show()
    yield made
    made.shut()


@pytest.fixture
def counting(daemon: Daemon, tmp_path: Path) -> Counting:
    return start_counting(daemon, tmp_path)


def seen(tab: LiveTab) -> int:
    image = tab.view.image
    return -1 if image is None else image.pixelColor(0, 0).red()


def test_frames_come_stop_when_nobody_looks_and_end_with_the_run(
    qtbot: QtBot, context: Context, tab: LiveTab, daemon: Daemon, counting: Counting
) -> None:
    focus(context, daemon, counting.row.run_id)
    qtbot.waitUntil(lambda: tab.live.phase is Phase.SHOWING, timeout=WAIT)
    first = seen(tab)
    qtbot.waitUntil(lambda: seen(tab) not in (first, -1), timeout=WAIT)
    assert tab.stack.currentWidget() is tab.view
    qtbot.waitUntil(lambda: tab.strip.value("Price").endswith("%"), timeout=WAIT)
    assert tab.strip.value("Size") == "12 x 8"
    assert tab.strip.value("Steps/s") not in ("-", "measuring")

    tab.hide()
    assert not tab.live.watching
    _renders_nothing(qtbot, counting)

    tab.show()
    drawn = counting.renders
    qtbot.waitUntil(lambda: counting.renders > drawn + 3, timeout=WAIT)
    tab.toggle_held()
    assert tab.live.said().title == "Viewing is paused"
    assert tab.line.isVisible()
    _renders_nothing(qtbot, counting)
    tab.toggle_held()
    qtbot.waitUntil(lambda: tab.live.phase is Phase.SHOWING and tab.live.watching, timeout=WAIT)

    asked: list[tuple[str, int | None]] = []
    context.asks.replay.connect(lambda run_id, episode: asked.append((run_id, episode)))
    daemon.client.stop(counting.row.run_id)
    qtbot.waitUntil(lambda: daemon.client.run(counting.row.run_id).state in ENDED, timeout=WAIT)
    context.runs.update(daemon.client.runs())
    assert tab.live.phase is Phase.ENDED
    assert tab.line_button.isVisible()
    tab.line_button.click()
    assert asked == [(counting.row.run_id, None)]


def _renders_nothing(qtbot: QtBot, counting: Counting) -> None:
    """Once it has looked at the wishes again (a hundred steps take four times as long), it draws no more."""
    steps = counting.steps
    qtbot.waitUntil(lambda: counting.steps > steps + 100, timeout=WAIT)
    drawn = counting.renders
    qtbot.waitUntil(lambda: counting.steps > steps + 300, timeout=WAIT)
    assert counting.renders == drawn


def test_a_frame_is_saved_and_copied_as_it_is(
    qtbot: QtBot, context: Context, tab: LiveTab, daemon: Daemon, counting: Counting
) -> None:
    focus(context, daemon, counting.row.run_id)
    qtbot.waitUntil(lambda: tab.live.on_screen is not None, timeout=WAIT)
    tab.toggle_held()
    tab.save_screenshot()
    folder = context.root.run(counting.row.run_id).path / "screenshots"
    qtbot.waitUntil(lambda: folder.exists() and bool(list(folder.glob("*.png"))), timeout=WAIT)
    saved = QImage(str(next(folder.glob("*.png")))).convertToFormat(QImage.Format.Format_RGB888)
    assert tab.view.image is not None
    assert saved == tab.view.image.convertToFormat(QImage.Format.Format_RGB888)
    tab.copy_frame()
    copied = QGuiApplication.clipboard().image()
    assert copied.convertToFormat(QImage.Format.Format_RGB888) == saved
    QGuiApplication.clipboard().clear()
    qtbot.waitUntil(lambda: any(str(folder) in toast.text for toast in context.toasts.history), timeout=WAIT)


def test_without_a_run_it_says_what_to_do(tab: LiveTab) -> None:
    assert tab.stack.currentWidget() is tab.notice
    assert "Choose a run" in tab.notice.text
    assert not tab.shot.isEnabled()


def test_the_frame_goes_to_the_full_screen_and_comes_back(
    qtbot: QtBot, context: Context, tab: LiveTab, daemon: Daemon, counting: Counting
) -> None:
    focus(context, daemon, counting.row.run_id)
    qtbot.waitUntil(lambda: tab.live.on_screen is not None, timeout=WAIT)
    tab.toggle_full_screen()
    window = tab.view.window()
    assert window.isFullScreen()
    first = seen(tab)
    qtbot.waitUntil(lambda: seen(tab) != first, timeout=WAIT)
    QTest.keyClick(window, Qt.Key.Key_K)
    assert tab.live.held
    tab.toggle_full_screen()
    assert tab.view.window() is tab.window()
    assert tab.stack.currentWidget() is tab.view


LAKE = """
import time, gymnasium as gym
env = gym.make("FrozenLake-v1", is_slippery=False)
env.reset(seed=1)
while True:
    time.sleep(0.02)
    if env.step(env.action_space.sample())[2]:
        env.reset()
"""


def test_a_running_board_is_shown_as_frame_scene_or_text(
    qtbot: QtBot, context: Context, tab: LiveTab, daemon: Daemon, tmp_path: Path
) -> None:
    script = tmp_path / "lake.py"
    script.write_text(LAKE)
    row = daemon.submit([sys.executable, str(script)])
    focus(context, daemon, row.run_id)
    qtbot.waitUntil(tab.views.isVisible, timeout=WAIT)
    assert tab.view.currentWidget() is tab.view.frame
    (action,) = [one for one in tab.commands() if one.id == "live.view"]
    action.call()
    qtbot.waitUntil(lambda: tab.view.currentWidget() is tab.view.scene, timeout=WAIT)
    qtbot.waitUntil(lambda: tab.strip.value("Size") == "4 x 4 cells", timeout=WAIT)
    first = tab.view.scene.scene
    qtbot.waitUntil(lambda: tab.view.scene.scene != first, timeout=WAIT)
    assert not tab.zoom.isEnabled()
    tab.save_screenshot()
    folder = context.root.run(row.run_id).path / "screenshots"
    qtbot.waitUntil(lambda: folder.exists() and bool(list(folder.glob("live-*.png"))), timeout=WAIT)
    (saved,) = folder.glob("live-*.png")
    assert QImage(str(saved)).width() == tab.view.width()
    action.call()
    qtbot.waitUntil(lambda: tab.view.currentWidget() is tab.view.text, timeout=WAIT)
    assert tab.view.text.toPlainText().count("@") == 1
    action.call()
    qtbot.waitUntil(lambda: tab.view.currentWidget() is tab.view.frame, timeout=WAIT)
