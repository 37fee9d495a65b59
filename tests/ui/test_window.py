"""The window: every part where it belongs, remembered from one time to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
)

from mosaic.ui.shell import layout
from mosaic.ui.shell.context import make_context
from mosaic.ui.window import Window
from tests.ui.rows import row, run_id

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


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
    context.runs.update([], gone=[run_id(1)])
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
    context.asks.replay.emit(run_id(1), None)
    assert shown.centre.currentWidget() is shown.replay
    assert context.selection.focus == run_id(1)
    context.asks.launch.emit("tabular", "q_learning", "FrozenLake-v1")
    assert shown.left_tabs.currentWidget() is shown.modes
    assert shown.left.isVisible()


def test_what_was_chosen_sorted_and_grouped_is_so_again_even_after_a_crash(
    qtbot: QtBot, context: Context
) -> None:
    first = window(qtbot, context)
    context.runs.update([row(1), row(2, tags={"kind": "x"}), row(3)])
    assert context.selection.chosen == (run_id(3),), "the newest, when nothing was remembered"
    context.selection.choose([run_id(1), run_id(2)], focus=run_id(2))
    first.runs.sort.setCurrentIndex(first.runs.sort.findData("name"))
    first.runs.group.setCurrentIndex(first.runs.group.findData("tag:kind"))
    first.right_tabs.setCurrentWidget(first.details)
    qtbot.waitUntil(lambda: layout.load(context.root).tabs.get("right") == 1, timeout=30_000)

    other = make_context(context.root)  # no close, no goodbye: as after kill -9
    again = Window(other)
    qtbot.addWidget(again)
    other.runs.update(context.runs.rows)
    assert other.selection.chosen == (run_id(1), run_id(2))
    assert other.selection.focus == run_id(2)
    assert again.right_tabs.currentWidget() is again.details
    assert again.runs.table.group == "tag:kind"
    assert again.runs.group.currentText() == "By tag kind"
    assert again.runs.sort.currentData() == "name"
    again.close()
    other.close()


def test_everything_that_can_be_used_has_a_name_for_those_who_listen(qtbot: QtBot, context: Context) -> None:
    shown = window(qtbot, context)
    context.runs.update([row(1)])
    for kind in (QLineEdit, QComboBox, QAbstractSpinBox, QAbstractItemView, QPlainTextEdit):
        for control in shown.findChildren(kind):
            inner = (
                isinstance(control.parent(), (QComboBox, QAbstractSpinBox)) or "qt_" in control.objectName()
            )
            private = type(control).__name__.startswith("QComboBoxListView") or isinstance(
                control, QHeaderView
            )
            if not inner and not private and control.isVisibleTo(shown):
                assert control.accessibleName(), f"{control} in {control.parent()}"


def test_at_1280_by_800_nothing_is_wider_than_its_place(qtbot: QtBot, context: Context) -> None:
    shown = window(qtbot, context)
    context.runs.update([row(1)])
    shown.resize(1280, 800)
    shown.arrange()
    qtbot.waitUntil(lambda: shown.width() == 1280, timeout=30_000)
    assert (shown.minimumSizeHint().width(), shown.minimumSizeHint().height()) <= (1280, 800)
    for tabs in (shown.left_tabs, shown.centre, shown.right_tabs):
        for at in range(tabs.count()):
            tabs.setCurrentIndex(at)
            page = tabs.widget(at)
            assert page is not None
            assert page.minimumSizeHint().width() <= tabs.width(), tabs.tabText(at)
    assert shown.width() == 1280


def test_a_window_that_is_still_empty_says_so_and_may_be_closed(qtbot: QtBot, context: Context) -> None:
    made = Window(context, filled=False)
    qtbot.addWidget(made)
    made.show()
    assert [label.text() for label in made.findChildren(QLabel)] == ["Opening…"]
    made.fill()
    qtbot.waitUntil(made.welcome.isVisible, timeout=30_000)
    gone = lambda: all(label.text() != "Opening…" for label in made.findChildren(QLabel))  # noqa: E731
    qtbot.waitUntil(gone, timeout=30_000)
    empty = Window(context, filled=False)
    qtbot.addWidget(empty)
    assert empty.close()


def test_every_tab_has_an_action_and_a_number(qtbot: QtBot, context: Context) -> None:
    shown = window(qtbot, context)
    for at, (name, part) in enumerate(shown.tabs_in_order, start=1):
        action = context.actions.get(f"view.{name.lower()}")
        assert action.keys == (f"Ctrl+{at % 10}",)
        action.call()
        assert any(tabs.currentWidget() is part for tabs in (shown.centre, shown.left_tabs, shown.right_tabs))
    assert len(shown.tabs_in_order) == 10
    assert shown.tabs_in_order[-1] == ("Sessions", shown.side_by_side), "the last that came, with Ctrl+0"


def test_docks_go_and_come_back(qtbot: QtBot, context: Context) -> None:
    shown = window(qtbot, context)
    for name, dock in (("left", shown.left), ("right", shown.right), ("log", shown.bottom)):
        context.actions.get(f"view.{name}").call()
        assert not dock.isVisible()
        context.actions.get(f"view.{name}").call()
        assert dock.isVisible()


def test_a_theme_is_chosen_and_remembered(qtbot: QtBot, context: Context) -> None:
    shown = window(qtbot, context)
    chosen: list[str] = []
    shown.theme_chosen.connect(chosen.append)
    context.actions.get("view.theme_dark").call()
    assert chosen == ["dark"]
    shown.close()
    assert layout.load(context.root).theme == "dark"
