"""Qt view of the run list: filter, order, groups, and what can be done to the chosen runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mosaic.protocol.runs import ENDED, RunState
from mosaic.ui.runs import ops as run_ops
from mosaic.ui.runs.delegate import RunDelegate
from mosaic.ui.runs.model.table import GROUPS, SORTS, Header
from mosaic.ui.runs.qt_model import RunModel
from mosaic.ui.runs.sparklines import Sparklines, read
from mosaic.ui.shell.following import Following
from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.theme import GAP, TIGHT
from mosaic.ui.shell.widgets.confirm import Confirm

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QModelIndex, QPoint
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.protocol.runs import RunRow
    from mosaic.ui.runs.model.deletions import Deletions
    from mosaic.ui.runs.model.table import RunTable
    from mosaic.ui.shell.context import Context

__all__ = ["RunPanel"]

_TICK_MILLIS = 1000
_CURVES_GAP_MILLIS = 1000


class RunPanel(QWidget):
    """Qt view of a RunTable. The chosen lines are the context's selection, and the other way round.

    Args:
        context: shared by all parts of the window.
        table: the runs as they are listed.
        deletions: the runs that are about to go, and are not listed.
    """

    def __init__(self, context: Context, table: RunTable, deletions: Deletions) -> None:
        super().__init__()
        self._context = context
        self.deletions, self.table = deletions, table
        self.sparks = Sparklines()
        self._following = False
        self.curves: Following[dict[str, list[float]]] = Following(
            context,
            wanted=self._with_curves,
            work=self._read_curves,
            take=self._show_curves,
            failed=lambda _: None,  # a curve is an ornament: what is wrong with a store is said elsewhere
            gap_ms=_CURVES_GAP_MILLIS,
        )
        """Keeps the curves of the runs on the screen up to date."""
        self._make_list()
        self._make_controls()
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, GAP, GAP, GAP)
        column.setSpacing(TIGHT)
        column.addWidget(self.filter)
        column.addLayout(self._orders)
        column.addWidget(self.stack, 1)
        column.addWidget(self.confirm)
        column.addLayout(self._buttons)
        self._timer = QTimer(self, interval=_TICK_MILLIS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        context.selection.changed.connect(self._show_selection)
        self.table.arranged.connect(self._show_what_there_is)
        context.runs.changed.connect(lambda _: self._show_buttons())
        context.colours.changed.connect(self.list.viewport().update)
        self._show_what_there_is()
        self._show_buttons()

    # Putting it together.

    def _make_list(self) -> None:
        self.model = RunModel(self.table, self._context.runs, self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.delegate = RunDelegate(
            self.model, self._context.colours, self.sparks, edited=self._edited, parent=self.list
        )
        self.list.setItemDelegate(self.delegate)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.setAccessibleName("Runs")
        self.list.setMinimumHeight(120)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.list.clicked.connect(self._clicked)
        self.list.doubleClicked.connect(lambda _: self.watch())
        self.list.selectionModel().selectionChanged.connect(self._choose)
        self.list.selectionModel().currentChanged.connect(lambda *_: self._choose())
        self.nothing = QLabel()
        self.nothing.setTextFormat(Qt.TextFormat.PlainText)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        self.nothing.setForegroundRole(self.nothing.palette().ColorRole.PlaceholderText)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.list)
        self.stack.addWidget(self.nothing)

    def _make_controls(self) -> None:
        self.filter = QLineEdit(placeholderText="Filter: words, state, tag=value", clearButtonEnabled=True)
        self.filter.setAccessibleName("Filter runs")
        self.filter.textChanged.connect(self.table.set_filter)
        self.group, self.sort = QComboBox(), QComboBox()
        for combo, name, items in ((self.group, "Group runs", GROUPS), (self.sort, "Sort runs", SORTS)):
            combo.setAccessibleName(name)
            combo.setToolTip(name)
            combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            for key, text in items.items():
                combo.addItem(text, key)
        self.group.currentIndexChanged.connect(lambda _: self.table.set_group(str(self.group.currentData())))
        self.sort.currentIndexChanged.connect(lambda _: self.table.set_sort(str(self.sort.currentData())))
        self._orders = QHBoxLayout()
        self._orders.setSpacing(TIGHT)
        self._orders.addWidget(self.group, 1)
        self._orders.addWidget(self.sort, 1)
        self.confirm = Confirm()
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(TIGHT)
        self.watch_button = self._button("Watch", "Show the chosen run live", self.watch)
        self.replay_button = self._button("Replay", "Replay the chosen run's last episode", self.replay)
        self.pause_button = self._button("Pause", "Pause the chosen runs", self.pause)
        self.stop_button = self._button("Stop", "Stop the chosen runs", self.stop)
        self.delete_button = self._button("Delete", "Delete the chosen runs; can be undone", self.delete)

    def _button(self, text: str, tip: str, call: object) -> QPushButton:
        button = QPushButton()
        _label(button, text, tip)
        button.setMinimumWidth(10)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.clicked.connect(call)
        self._buttons.addWidget(button)
        return button

    def commands(self) -> list[Action]:
        """The section Run: what can be done to the chosen runs. The last two are not about chosen runs."""

        def one() -> bool:
            return self.focus_row() is not None

        def some() -> bool:
            return bool(self.chosen())

        def some_live() -> bool:
            return bool(run_ops.live(self.chosen()))

        def act(name: str, title: str, call: Callable[[], object], *keys: str, **more: Any) -> Action:
            return Action(id=f"run.{name}", title=title, call=call, keys=keys, **more)

        here = "runs"
        return [
            act("watch", "Watch live", self.watch, "Ctrl+L", when=one),
            act("replay", "Replay", self.replay, "Ctrl+R", when=one),
            act("pause", "Pause or unpause", self.pause, "Ctrl+P", when=some_live),
            act("stop", "Stop…", self.stop, "Ctrl+.", when=some_live),
            act("rename", "Rename", self.rename, "F2", when=one, scope=here),
            act("tags", "Edit tags", self.tag, "Shift+F2", when=one, scope=here),
            act("folder", "Open folder", self.open_folder, "Ctrl+O", when=one),
            act("copy", "Copy id", self.copy_id, "Ctrl+C", when=some, scope=here),
            act("delete", "Delete", self.delete, "Del", when=some, scope=here),
            act("undo", "Undo delete", self.undo, "Ctrl+Z", when=lambda: self.deletions.waiting),
            act("filter", "Filter runs", self.focus_filter, "Ctrl+F"),
        ]

    # What can be done.

    def chosen(self) -> list[RunRow]:
        """The chosen runs."""
        found = [self._context.runs.get(run_id) for run_id in self._context.selection.chosen]
        return [row for row in found if row is not None]

    def focus_row(self) -> RunRow | None:
        """The run in focus."""
        return self._context.runs.get(self._context.selection.focus)

    def watch(self) -> None:
        """Show the run in focus live; one that has ended is replayed."""
        row = self.focus_row()
        if row is not None and row.state in ENDED:
            self._context.asks.replay.emit(row.run_id, None)
        elif row is not None:
            self._context.asks.watch.emit(row.run_id)

    def replay(self) -> None:
        """Replay the run in focus."""
        row = self.focus_row()
        if row is not None:
            self._context.asks.replay.emit(row.run_id, None)

    def pause(self) -> None:
        """Pause the chosen runs, or unpause them."""
        run_ops.pause_or_unpause(self._context, self.chosen())

    def stop(self) -> None:
        """Stop the chosen runs, once confirmed below the list."""
        rows = run_ops.live(self.chosen())
        if rows:
            what = f"the run {rows[0].name or rows[0].run_id[:10]}" if len(rows) == 1 else f"{len(rows)} runs"
            self.confirm.ask(f"Stop {what}?", "Stop", lambda: run_ops.stop(self._context, rows))

    def undo(self) -> None:
        """Keep the runs that are about to be deleted."""
        run_ops.undo(self._context, self.deletions)

    def delete(self) -> None:
        """Delete the chosen runs; for some seconds that can be undone."""
        run_ops.delete(self._context, self.deletions, self.chosen())

    def rename(self) -> None:
        """Edit the name in place."""
        self._edit("name")

    def tag(self) -> None:
        """Edit the tags in place."""
        self._edit("tags")

    def open_folder(self) -> None:
        """Show the run's folder in the file manager."""
        row = self.focus_row()
        if row is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._context.root.run(row.run_id).path)))

    def copy_id(self) -> None:
        """Put the chosen runs' ids on the clipboard."""
        ids = [row.run_id for row in self.chosen()]
        QGuiApplication.clipboard().setText("\n".join(ids))
        self._context.toasts.say(f"Copied {ids[0] if len(ids) == 1 else f'{len(ids)} ids'}.")

    def focus_filter(self) -> None:
        """Go to the filter."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def set_order(self, *, sort: str, group: str) -> None:
        """Sort and group like this; a tag that is not there yet counts once it comes."""
        self.table.set_sort(sort)
        self.table.set_group(group)
        self.sort.setCurrentIndex(max(0, self.sort.findData(self.table.sort)))
        self._show_groups()

    # Between the list and the models.

    def _edit(self, what: str) -> None:
        index = self.model.index_of(self._context.selection.focus or "")
        if index.isValid():
            self.delegate.editing = what
            self.list.scrollTo(index)
            self.list.edit(index)

    def _edited(self, run_id: str, what: str, text: str) -> None:
        row = self._context.runs.get(run_id)
        if row is not None and what == "name":
            run_ops.rename(self._context, row, text)
        elif row is not None:
            run_ops.retag(self._context, row, text)

    def _clicked(self, index: QModelIndex) -> None:
        entry = self.model.entry(index)
        if isinstance(entry, Header):
            self.table.fold(entry.key)

    def _choose(self, *_: object) -> None:
        """The user chose lines."""
        if self._following:
            return
        entries = [self.model.entry(index) for index in self.list.selectionModel().selectedIndexes()]
        ids = [entry for entry in entries if isinstance(entry, str)]
        current = self.model.entry(self.list.currentIndex())
        self._following = True
        self._context.selection.choose(ids, focus=current if isinstance(current, str) else None)
        self._following = False
        self._show_buttons()

    def _show_selection(self) -> None:
        """Somebody chose runs: choose their lines."""
        self._show_buttons()
        if self._following:
            return
        self._following = True
        chosen = QItemSelection()
        for run_id in self._context.selection.chosen:
            index = self.model.index_of(run_id)
            if index.isValid():
                chosen.select(index, index)
        flag = QItemSelectionModel.SelectionFlag
        self.list.selectionModel().select(chosen, flag.ClearAndSelect)
        focus = self.model.index_of(self._context.selection.focus or "")
        if focus.isValid():
            self.list.selectionModel().setCurrentIndex(focus, flag.NoUpdate)
            self.list.scrollTo(focus)
        self._following = False

    def _show_what_there_is(self) -> None:
        some = bool(self.table.entries)
        self.list.setUniformItemSizes(self.table.group == "none")
        self.nothing.setText(
            "No run matches. Clear the filter to see all of them."
            if len(self._context.runs) and self.table.filter
            else "No runs yet. Start one from the Launch tab, or with: mosaic run -- python train.py"
        )
        self.stack.setCurrentWidget(self.list if some else self.nothing)
        self._show_groups()
        if not self._following:
            self._show_selection()

    def _show_groups(self) -> None:
        """Offer every tag there is, and keep the choice."""
        now = self.table.group
        tags = dict.fromkeys(f"tag:{key}" for key in self.table.tag_keys())
        keys = [*tags, *([now] if now.startswith("tag:") and now not in tags else [])]
        offered = [str(self.group.itemData(at)) for at in range(len(GROUPS), self.group.count())]
        self.group.blockSignals(True)
        if keys != offered:
            while self.group.count() > len(GROUPS):
                self.group.removeItem(len(GROUPS))
            for key in keys:
                self.group.addItem(f"By tag {key[4:]}", key)
        self.group.setCurrentIndex(max(0, self.group.findData(now)))
        self.group.blockSignals(False)

    def _show_buttons(self) -> None:
        rows = self.chosen()
        alive = run_ops.live(rows)
        self.watch_button.setEnabled(len(alive) > 0 and self.focus_row() in alive)
        self.replay_button.setEnabled(self.focus_row() is not None)
        self.pause_button.setEnabled(bool(alive))
        paused = bool(alive) and alive[0].state is RunState.PAUSED
        verb = "Unpause" if paused else "Pause"
        _label(self.pause_button, verb, f"{verb} the chosen runs")
        self.stop_button.setEnabled(bool(alive))
        self.delete_button.setEnabled(bool(rows))
        if not alive:
            self.confirm.dismiss()

    def _open_menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action in self.commands()[:9]:
            entry = menu.addAction(f"{action.title}\t{action.keys[0]}")
            entry.setEnabled(action.when())
            entry.triggered.connect(lambda _=False, call=action.call: call())
        menu.popup(self.list.viewport().mapToGlobal(where))

    def _tick(self) -> None:
        """Elapsed times go on, deletions fall due, other runs may have been scrolled onto the screen."""
        run_ops.carry_out(self._context, self.deletions)
        if self.isVisible():
            self.list.viewport().update()
        self.curves.turn()

    # Curves.

    def showEvent(self, event: QShowEvent) -> None:
        """Keep up while somebody looks."""
        super().showEvent(event)
        self.curves.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: read nothing."""
        self.curves.stop()
        super().hideEvent(event)

    def _with_curves(self) -> list[str]:
        """The runs on the screen that have a curve."""
        area = self.list.viewport().rect()
        first, last = self.list.indexAt(area.topLeft()).row(), self.list.indexAt(area.bottomLeft()).row()
        lines = self.table.entries[max(0, first) : last + 1 if last >= 0 else None]
        rows = [self._context.runs.get(entry) for entry in lines if isinstance(entry, str)]
        return [row.run_id for row in rows if row is not None and row.episodes > 1]

    def _read_curves(self, due: tuple[str, ...]) -> Callable[[], dict[str, list[float]]]:
        root = self._context.root
        return lambda: {run_id: read(root.run(run_id)) for run_id in due}

    def _show_curves(self, found: dict[str, list[float]]) -> bool:
        for run_id, points in found.items():
            self.sparks.put(run_id, points)
            index = self.model.index_of(run_id)
            if index.isValid():
                self.list.update(index)
        return False


def _label(button: QPushButton, text: str, tip: str) -> None:
    """What a button says, and what it says to those who point at it or have it read to them."""
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
