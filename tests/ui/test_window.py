"""The window: every part in its place, remembered from one time to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from mosaic.protocol.runs import RunRow, RunState
from mosaic.ui import layout
from mosaic.ui.window import Window

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.context import Context


def row(run_id: str = "01JROW0000000000000000000A") -> RunRow:
    return RunRow(run_id=run_id, name="one", state=RunState.RUNNING, reason="", created=1.0, command=["x"])


def window(qtbot: QtBot, context: Context) -> Window:
    made = Window(context)
    qtbot.addWidget(made)
    made.show()
    return made


def test_an_empty_data_root_shows_the_first_steps_and_a_run_the_render_tabs(
    qtbot: QtBot, context: Context
) -> None:
    shown = window(qtbot, context)
    assert shown.stack.currentWidget() is shown.welcome
    context.runs.update([row()])
    assert shown.stack.currentWidget() is shown.centre
    context.runs.update([], gone=[row().run_id])
    assert shown.stack.currentWidget() is shown.welcome


def test_docks_tabs_and_size_are_as_they_were_left(qtbot: QtBot, context: Context) -> None:
    first = window(qtbot, context)
    first.resize(1111, 777)
    first.right_tabs.setCurrentWidget(first.episodes)
    first.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, first.bottom)
    first.left.hide()
    first.close()
    again = window(qtbot, context)
    assert (again.width(), again.height()) == (1111, 777)
    assert again.right_tabs.currentWidget() is again.episodes
    assert again.dockWidgetArea(again.bottom) == Qt.DockWidgetArea.RightDockWidgetArea
    assert not again.left.isVisible()
    again.arrange()
    assert again.left.isVisible()
    assert again.dockWidgetArea(again.bottom) == Qt.DockWidgetArea.BottomDockWidgetArea


def test_a_damaged_memory_means_the_defaults(qtbot: QtBot, context: Context) -> None:
    layout.path_of(context.root).write_text('{"docks": "!!", "geometry": "AAAA", "tabs": {"right": 77}}')
    shown = window(qtbot, context)
    assert shown.left.isVisible()
    assert shown.right_tabs.currentIndex() == 3
    layout.path_of(context.root).write_bytes(b"\xff\x00 no json")
    assert layout.load(context.root) == layout.Layout()


def test_asking_for_a_run_brings_its_part_to_the_front(qtbot: QtBot, context: Context) -> None:
    shown = window(qtbot, context)
    context.runs.update([row()])
    shown.left.hide()
    context.asks.replay.emit(row().run_id, None)
    assert shown.centre.currentWidget() is shown.replay
    assert context.selection.focus == row().run_id
    context.asks.launch.emit("tabular", "q_learning", "FrozenLake-v1")
    assert shown.left_tabs.currentWidget() is shown.launch
    assert shown.left.isVisible()
