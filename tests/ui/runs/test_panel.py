"""The run list, looked at and used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu

from mosaic.protocol.runs import ENDED, RunState
from mosaic.ui.parts import make_runs
from mosaic.ui.runs import ops as run_ops
from mosaic.ui.runs.panel import RunPanel
from mosaic.ui.shell.model.actions import Actions
from tests.daemons import daemon, until
from tests.ui.rows import row, run_id
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context
    from tests.daemons import Daemon

__all__ = ["daemon"]


@pytest.fixture
def panel(qtbot: QtBot, context: Context) -> RunPanel:
    made = make_runs(context)
    qtbot.addWidget(made)
    made.resize(330, 700)
    made.show()
    return made


def click(panel: RunPanel, number: int, *, held: Qt.KeyboardModifier | None = None) -> None:
    where = panel.list.visualRect(panel.model.index_of(run_id(number))).center()
    held = held or Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, held, where)


def test_without_runs_it_says_how_to_start_one(panel: RunPanel, context: Context) -> None:
    assert panel.stack.currentWidget() is panel.nothing
    assert "mosaic run" in panel.nothing.text()
    context.runs.update([row(1)])
    assert panel.stack.currentWidget() is panel.list
    panel.filter.setText("nothing like that")
    assert "Clear the filter" in panel.nothing.text()
    assert panel.stack.currentWidget() is panel.nothing


def test_clicked_runs_are_the_selection_and_the_other_way_round(
    qtbot: QtBot, panel: RunPanel, context: Context
) -> None:
    context.runs.update([row(number) for number in range(1, 5)])
    click(panel, 3)
    assert list(context.selection.chosen) == [run_id(3)]
    click(panel, 1, held=Qt.KeyboardModifier.ControlModifier)
    assert list(context.selection.chosen) == [run_id(3), run_id(1)]
    assert context.selection.focus == run_id(1)
    context.selection.choose([run_id(2), run_id(4)], focus=run_id(4))
    chosen = {panel.model.entry(index) for index in panel.list.selectionModel().selectedIndexes()}
    assert chosen == {run_id(2), run_id(4)}
    assert panel.model.entry(panel.list.currentIndex()) == run_id(4)


def test_a_chosen_run_stays_chosen_when_the_order_changes_and_when_others_come(
    panel: RunPanel, context: Context
) -> None:
    context.runs.update([row(1, mean_return_100=1.0), row(2, mean_return_100=2.0)])
    context.selection.choose([run_id(1)])
    panel.sort.setCurrentIndex(panel.sort.findData("return"))
    context.runs.update([row(1, mean_return_100=9.0), row(3)])
    assert panel.table.run_ids[0] == run_id(1)
    (index,) = panel.list.selectionModel().selectedIndexes()
    assert panel.model.entry(index) == run_id(1)
    assert context.selection.chosen == (run_id(1),)


def test_a_name_being_edited_stays_with_its_run_when_others_come(
    qtbot: QtBot, panel: RunPanel, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited: list[tuple[str, str]] = []
    monkeypatch.setattr(run_ops, "rename", lambda _, row, name: edited.append((row.run_id, name)))
    context.runs.update([row(1), row(2)])
    context.selection.choose([run_id(1)])
    panel.rename()
    editor = panel.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText("new")
    context.runs.update([row(3), row(4)])
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.list.findChild(QLineEdit) is None, timeout=30_000)
    assert edited == [(run_id(1), "new")]


def test_a_filter_that_hides_the_chosen_run_does_not_unchoose_it(panel: RunPanel, context: Context) -> None:
    context.runs.update([row(1, name="alpha"), row(2, name="beta")])
    context.selection.choose([run_id(1)])
    panel.filter.setText("beta")
    assert panel.table.run_ids == [run_id(2)]
    assert context.selection.chosen == (run_id(1),)
    panel.filter.clear()
    assert panel.list.selectionModel().isSelected(panel.model.index_of(run_id(1)))


def test_tags_become_ways_to_group_and_headers_fold_when_clicked(
    qtbot: QtBot, panel: RunPanel, context: Context
) -> None:
    context.runs.update([row(1, tags={"kind": "x"}), row(2)])
    panel.group.setCurrentIndex(panel.group.findData("tag:kind"))
    assert len(panel.table.entries) == 4
    header = panel.list.visualRect(panel.model.index(0, 0)).center()
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, header)
    assert len(panel.table.entries) == 3
    assert context.selection.chosen == ()


def test_buttons_are_able_when_there_is_something_to_do(panel: RunPanel, context: Context) -> None:
    context.runs.update([row(1), row(2, state=RunState.FINISHED), row(3, state=RunState.PAUSED)])

    def able() -> set[str]:
        buttons = (
            panel.watch_button,
            panel.replay_button,
            panel.pause_button,
            panel.stop_button,
            panel.delete_button,
        )
        return {button.text() for button in buttons if button.isEnabled()}

    assert able() == set()
    context.selection.choose([run_id(1)])
    assert able() == {"Watch", "Replay", "Pause", "Stop", "Delete"}
    assert panel.pause_button.accessibleName() == panel.pause_button.toolTip() == "Pause the chosen runs"
    context.selection.choose([run_id(2)])
    assert able() == {"Replay", "Delete"}
    context.selection.choose([run_id(3)])
    assert able() == {"Watch", "Replay", "Unpause", "Stop", "Delete"}
    assert panel.pause_button.accessibleName() == panel.pause_button.toolTip() == "Unpause the chosen runs"


def test_deleting_can_be_undone_from_the_toast(panel: RunPanel, context: Context) -> None:
    context.runs.update([row(1, state=RunState.FINISHED), row(2, state=RunState.FINISHED)])
    context.selection.choose([run_id(1)])
    panel.delete()
    assert panel.table.run_ids == [run_id(2)]
    toast = context.toasts.history[-1]
    assert toast.action == "Undo"
    assert toast.act is not None
    toast.act()
    assert panel.table.run_ids == [run_id(2), run_id(1)]


def test_a_run_that_still_runs_is_not_deleted(panel: RunPanel, context: Context) -> None:
    context.runs.update([row(1)])
    context.selection.choose([run_id(1)])
    panel.delete()
    assert panel.table.run_ids == [run_id(1)]
    assert "stop it first" in context.toasts.history[-1].text


def test_asks_go_out_and_ids_are_copied(
    panel: RunPanel, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, object]] = []
    opened: list[QUrl] = []
    context.asks.watch.connect(lambda run_id: asked.append(("watch", run_id)))
    context.asks.replay.connect(lambda run_id, episode: asked.append((run_id, episode)))
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    context.runs.update([row(1), row(2, state=RunState.FINISHED)])
    context.selection.choose([run_id(1)])
    panel.watch()
    panel.replay()
    panel.open_folder()
    panel.copy_id()
    context.selection.choose([run_id(2)])
    panel.watch()
    assert asked == [("watch", run_id(1)), (run_id(1), None), (run_id(2), None)]
    assert [url.toLocalFile() for url in opened] == [str(context.root.run(run_id(1)).path)]
    assert QGuiApplication.clipboard().text() == run_id(1)


def test_what_a_worker_says_is_never_taken_for_markup(panel: RunPanel, context: Context) -> None:
    context.runs.update([row(1, name="<b>bold</b>", reason="<img src=x>")])
    index = panel.model.index(0, 0)
    assert index.data() == "<b>bold</b>"
    panel.grab()  # draws it


def test_a_thousand_changing_runs_repaint_only_their_own_lines(panel: RunPanel, context: Context) -> None:
    context.runs.update([row(number) for number in range(1000)])
    told: list[int] = []
    panel.model.layoutChanged.connect(lambda: told.append(-1))
    panel.model.dataChanged.connect(lambda first, _: told.append(first.row()))
    context.runs.update([row(number, episodes=3) for number in (5, 500)])
    assert sorted(told) == [499, 994]


def test_the_menu_offers_what_can_be_done(qtbot: QtBot, panel: RunPanel, context: Context) -> None:
    context.runs.update([row(1, state=RunState.FINISHED)])
    context.selection.choose([run_id(1)])
    where = QPoint(5, 5)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, where, panel.list.viewport().mapToGlobal(where))
    QGuiApplication.sendEvent(panel.list.viewport(), event)
    (menu,) = panel.findChildren(QMenu)
    entries = {entry.text().partition("\t")[0]: entry.isEnabled() for entry in menu.actions()}
    assert entries["Stop…"] is False
    assert entries["Delete"] is True
    menu.close()


def test_runs_are_renamed_tagged_stopped_and_deleted_for_real(
    qtbot: QtBot, panel: RunPanel, context: Context, daemon: Daemon
) -> None:
    one = daemon.submit(["sleep", "600"], name="before")
    until(lambda: daemon.client.run(one.run_id).state is RunState.RUNNING)
    context.runs.update([daemon.client.run(one.run_id)])
    context.selection.choose([one.run_id])
    for what, text in ((panel.rename, "after"), (panel.tag, "kind=test also=this")):
        what()
        editor = panel.list.findChild(QLineEdit)
        assert editor is not None
        editor.setText(text)
        QTest.keyClick(editor, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: panel.list.findChild(QLineEdit) is None, timeout=30_000)
    qtbot.waitUntil(lambda: daemon.client.run(one.run_id).name == "after", timeout=30_000)
    qtbot.waitUntil(
        lambda: daemon.client.run(one.run_id).tags == {"kind": "test", "also": "this"}, timeout=30_000
    )
    panel.pause()
    qtbot.waitUntil(lambda: daemon.client.run(one.run_id).state is RunState.PAUSED, timeout=30_000)
    context.runs.update([daemon.client.run(one.run_id)])
    panel.pause()
    qtbot.waitUntil(lambda: daemon.client.run(one.run_id).state is RunState.RUNNING, timeout=30_000)
    panel.stop()
    assert daemon.client.run(one.run_id).state is RunState.RUNNING, "not before it is confirmed"
    QTest.mouseClick(panel.confirm.yes, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: daemon.client.run(one.run_id).state in ENDED, timeout=60_000)
    context.runs.update([daemon.client.run(one.run_id)])
    panel.deletions.delay_secs = 0.0
    panel.delete()
    qtbot.waitUntil(lambda: not context.root.run(one.run_id).path.exists(), timeout=60_000)
    qtbot.waitUntil(lambda: context.runs.rows == [], timeout=30_000)
    assert context.selection.chosen == ()


def test_curves_of_the_runs_on_the_screen_are_read_when_their_stores_have_moved(
    qtbot: QtBot, panel: RunPanel, context: Context
) -> None:
    run = Stored(context.root)
    run.episodes([1.0, 2.0])
    listed = run.commit()
    context.runs.update([listed, *(row(number, created=0.0) for number in range(1, 100))])
    qtbot.waitUntil(lambda: panel.sparks.look(run.run_id) == [1.0, 2.0], timeout=60_000)
    run.episodes([3.0])
    grown = run.commit()
    context.runs.update([grown])
    qtbot.waitUntil(lambda: panel.sparks.look(run.run_id) == [1.0, 2.0, 3.0], timeout=60_000)
    panel.curves.turn()
    assert not panel.curves.reading, "nothing has moved"
    panel.list.scrollToBottom()
    context.runs.update([msgspec.structs.replace(grown, store_seq=grown.store_seq + 1)])
    panel.curves.ask()
    assert not panel.curves.reading, "it is not on the screen"
    panel.list.scrollToTop()
    panel.curves.ask()
    assert panel.curves.reading
    panel.hide()
    assert not panel.curves.looking


def test_a_line_can_be_reached_and_chosen_with_the_keyboard(
    qtbot: QtBot, panel: RunPanel, context: Context
) -> None:
    context.runs.update([row(1), row(2)])
    panel.list.selectionModel().setCurrentIndex(
        panel.model.index(0, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect
    )
    QTest.keyClick(panel.list, Qt.Key.Key_Down)
    assert context.selection.focus == run_id(1)
    assert "running" in panel.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)


def able(panel: RunPanel) -> set[str]:
    return {action.id.removeprefix("run.") for action in panel.commands() if action.when()}


def test_what_can_be_done_follows_from_the_chosen_runs(panel: RunPanel, context: Context) -> None:
    context.runs.update([row(1), row(2, state=RunState.FINISHED)])
    assert able(panel) == {"filter"}
    about_one = {"watch", "replay", "rename", "tags", "folder", "copy", "delete", "filter"}
    context.selection.choose([run_id(2)])
    assert able(panel) == about_one
    context.selection.choose([run_id(1), run_id(2)])
    assert able(panel) == about_one | {"pause", "stop"}


def test_a_deletion_can_be_undone_as_long_as_it_waits_whatever_is_chosen(
    panel: RunPanel, context: Context
) -> None:
    context.runs.update([row(1, state=RunState.FINISHED)])
    panel.deletions.delay_secs = 600
    panel.deletions.ask([run_id(1)])
    assert "undo" in able(panel)
    (undo,) = [action for action in panel.commands() if action.id == "run.undo"]
    undo.call()
    assert "undo" not in able(panel)


def test_no_two_have_the_same_key_and_keys_that_type_or_erase_work_in_the_list_only(panel: RunPanel) -> None:
    actions = Actions()
    actions.add(*panel.commands())
    assert actions.clashes == []
    assert {actions.get(name).scope for name in ("run.rename", "run.delete", "run.copy")} == {"runs"}
