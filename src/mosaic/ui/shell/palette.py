"""The palette: every action and every run, found by a few letters and done with Enter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout

from mosaic.ui.shell.model.finding import best
from mosaic.ui.shell.model.words import subtitle, title
from mosaic.ui.shell.theme import GAP
from mosaic.ui.shell.widgets.overlay import Overlay

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from mosaic.ui.shell.context import Context

__all__ = ["Palette"]

_SHOWN = 50


@dataclass(frozen=True)
class _Thing:
    text: str
    note: str
    call: Callable[[], object]


class Palette(Overlay):
    """Qt view of the actions that can be done now, and of the runs."""

    def __init__(self, window: QWidget, context: Context) -> None:
        super().__init__(window, wide=560, high=420)
        self._context = context
        self.setAccessibleName("Command palette")
        self.line = QLineEdit(placeholderText="What do you want to do? Or which run?")
        self.line.setAccessibleName("Find an action or a run")
        self.line.textChanged.connect(self._fill)
        self.line.returnPressed.connect(self._do)
        self.line.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName("Found actions and runs")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setStyleSheet("QListWidget::item { padding: 3px 4px; }")
        self.list.itemClicked.connect(self._do)
        self._things: list[_Thing] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, GAP, GAP, GAP)
        column.setSpacing(GAP)
        column.addWidget(self.line)
        column.addWidget(self.list, 1)
        self.setFocusProxy(self.line)

    def open(self) -> None:
        """Show it with everything in it."""
        super().open()
        self.line.clear()
        self._fill("")
        self.line.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and down go through what was found while the line keeps the focus."""
        if watched is self.line and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}.get(
                Qt.Key(event.key())
            )
            if step is not None and self.list.count():
                row = self.list.currentRow() + step
                self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))
                return True
        return super().eventFilter(watched, event)

    def _all(self) -> list[_Thing]:
        actions = [
            _Thing(action.title, action.keys[0] if action.keys else "", action.call)
            for action in self._context.actions.all()
            if not action.hidden and action.when()
        ]
        runs = [
            _Thing(f"Run: {title(row)}", f"{subtitle(row)}  {row.state.value}", self._chooser(row.run_id))
            for row in self._context.runs.rows
        ]
        return actions + runs

    def _chooser(self, run_id: str) -> Callable[[], object]:
        return lambda: self._context.selection.choose([run_id], focus=run_id)

    def _fill(self, typed: str) -> None:
        self._things = best(typed, self._all(), text=lambda thing: f"{thing.text} {thing.note}", most=_SHOWN)
        self.list.clear()
        for thing in self._things:
            note = f"    {thing.note}" if thing.note else ""
            self.list.addItem(QListWidgetItem(thing.text + note))
        self.list.setCurrentRow(0)

    def _do(self, *_: object) -> None:
        at = self.list.currentRow()
        if 0 <= at < len(self._things):
            thing = self._things[at]
            self.dismiss()
            thing.call()
