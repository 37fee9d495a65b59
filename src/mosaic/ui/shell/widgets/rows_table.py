"""Qt view of a list of rows as a plain table: cells are made into text only when they are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QKeyEvent

__all__ = ["Rows", "RowsTable", "as_rows"]

_LEAST = 6
_Index = QModelIndex | QPersistentModelIndex


class Rows(QAbstractTableModel):
    """Rows of text, made by a function from their number.

    Args:
        columns: their names.
        right: the columns that hold numbers, set to the right.
    """

    def __init__(self, columns: Sequence[str], *, right: frozenset[int] = frozenset()) -> None:
        super().__init__()
        self._columns, self._right = tuple(columns), right
        self._count = 0
        self._cells: Callable[[int], Sequence[str]] = lambda _: ()

    def fill(self, count: int, cells: Callable[[int], Sequence[str]]) -> None:
        """So many rows, each with these cells. More rows than before have come on top."""
        if count > self._count > 0:
            self.beginInsertRows(QModelIndex(), 0, count - self._count - 1)
            self._count, self._cells = count, cells
            self.endInsertRows()
        elif count == self._count:
            self._cells = cells
        else:
            self.replace(count, cells)
        if count:
            self.dataChanged.emit(self.index(0, 0), self.index(count - 1, len(self._columns) - 1))

    def replace(self, count: int, cells: Callable[[int], Sequence[str]]) -> None:
        """Other rows altogether."""
        self.beginResetModel()
        self._count, self._cells = count, cells
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own signature)
        """How many rows."""
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        """How many columns."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell, or how it is set."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            cells = self._cells(index.row())
            return cells[index.column()] if index.column() < len(cells) else ""
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self._right:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The name of a column, set as its cells are."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in self._right else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None


class RowsTable(QTableView):
    """A table of whole rows, of which one is current.

    Args:
        rows: what it shows.
        name: what a screen reader calls it.
        widths: of the columns in characters; the last column takes the rest.
    """

    def __init__(self, rows: Rows, *, name: str, widths: Sequence[int]) -> None:
        super().__init__()
        rows.setParent(self)  # dies with the table, on its thread, and not whenever Python tidies up
        self.setModel(rows)
        self.rows = rows
        as_rows(self, name=name, spare=6)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        metrics = self.fontMetrics()
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        header.setMinimumSectionSize(metrics.averageCharWidth() * _LEAST)
        for column, width in enumerate([*widths[:-1], _LEAST]):  # the last one takes what is left
            self.setColumnWidth(column, metrics.averageCharWidth() * width + 12)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy takes the current row; letters are not searched for, they are the window's keys."""
        if event.matches(QKeySequence.StandardKey.Copy) and self.currentIndex().isValid():
            row = self.currentIndex().row()
            cells = [str(self.rows.index(row, n).data() or "") for n in range(self.rows.columnCount())]
            QGuiApplication.clipboard().setText("\t".join(cells))
        elif event.text().isprintable() and event.text() and not event.text().isspace():
            event.ignore()
        else:
            super().keyPressEvent(event)


def as_rows(table: QTableView, *, name: str, spare: int) -> None:
    """Make a table one of whole rows, of which one is current, each `spare` pixels higher than its text."""
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setAlternatingRowColors(True)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + spare)
    table.horizontalHeader().setHighlightSections(False)
