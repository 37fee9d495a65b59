"""Every key and what it does, by section: what `?` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from mosaic.ui.shell.theme import GAP, INSET
from mosaic.ui.shell.widgets.overlay import Overlay

if TYPE_CHECKING:
    from mosaic.ui.shell.model.actions import Action, Actions

__all__ = ["KeyHelp"]


class KeyHelp(Overlay):
    """Qt view of the keys of Actions."""

    def __init__(self, window: QWidget, actions: Actions) -> None:
        super().__init__(window, wide=920, high=640)
        self._actions = actions
        self.setAccessibleName("Keys")
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setAccessibleName("List of keys")
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(INSET, INSET, INSET, INSET)
        heading = _label("Keys   (Esc closes)")
        font = QFont(heading.font())
        font.setBold(True)
        heading.setFont(font)
        column.addWidget(heading)
        column.addWidget(self._area)
        self.setFocusProxy(self._area)

    def open(self) -> None:
        """Show the keys there are now."""
        page = QWidget()
        row = QHBoxLayout(page)
        row.setSpacing(2 * INSET)
        columns: tuple[list[tuple[str, list[Action]]], ...] = ([], [])
        for section in dict.fromkeys(action.section for action in self._actions.all()):
            keyed = [action for action in self._actions.section(section) if action.keys and not action.hidden]
            if keyed:
                min(columns, key=_lines).append((section, keyed))
        for sections in columns:
            row.addLayout(_grid(sections), 1)
        self._area.setWidget(page)
        super().open()


def _grid(sections: list[tuple[str, list[Action]]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(INSET)
    grid.setVerticalSpacing(GAP // 2)
    grid.setColumnStretch(1, 1)
    for section, keyed in sections:
        title = _label(section.capitalize())
        title.setContentsMargins(0, GAP if grid.count() else 0, 0, 0)
        font = QFont(title.font())
        font.setBold(True)
        title.setFont(font)
        grid.addWidget(title, grid.rowCount(), 0, 1, 2)
        for action in keyed:
            line = grid.rowCount()
            grid.addWidget(_label(" / ".join(action.keys)), line, 0)
            grid.addWidget(_label(action.title), line, 1)
    grid.setRowStretch(grid.rowCount(), 1)
    return grid


def _lines(sections: list[tuple[str, list[Action]]]) -> int:
    return sum(len(keyed) + 2 for _, keyed in sections)


def _label(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
