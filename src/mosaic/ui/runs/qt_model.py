"""Qt's door to the run table: lines in, roles out. Repaints only what changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from mosaic.ui.runs.model.table import Header, spoken
from mosaic.ui.shell.model.words import title

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from mosaic.protocol.runs import RunRow
    from mosaic.ui.runs.model.table import Entry, RunTable
    from mosaic.ui.shell.model.runs import RunList

__all__ = ["RunModel"]

_Index = QModelIndex | QPersistentModelIndex


class RunModel(QAbstractListModel):
    """Qt model of a RunTable. Indexes stay with their runs when the order changes."""

    def __init__(self, table: RunTable, runs: RunList, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table, self._runs = table, runs
        self._before: list[Entry] = []
        table.arranging.connect(self._arranging)
        table.arranged.connect(self._arranged)
        table.changed.connect(self._changed)

    def entry(self, index: _Index) -> Entry | None:
        """What a line is."""
        return self._table.entries[index.row()] if 0 <= index.row() < len(self._table.entries) else None

    def row_of(self, index: _Index) -> RunRow | None:
        """The run on a line, if it is one."""
        entry = self.entry(index)
        return self._runs.get(entry) if isinstance(entry, str) else None

    def index_of(self, run_id: str) -> QModelIndex:
        """Where a run is; an invalid index when it is not shown."""
        line = self._table.line_of(run_id)
        return QModelIndex() if line is None else self.index(line, 0)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008  (Qt's signature)
        """How many lines."""
        return 0 if parent.isValid() else len(self._table.entries)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Runs can be chosen and renamed; headers can only be clicked."""
        entry = self.entry(index)
        if isinstance(entry, Header):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        return (
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsEditable
            | Qt.ItemFlag.ItemNeverHasChildren
        )

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Plain text for every role that is text."""
        entry, row = self.entry(index), self.row_of(index)
        if isinstance(entry, Header):
            said = f"{entry.title}, {entry.count} runs, {'folded' if entry.folded else 'open'}"
            return {
                Qt.ItemDataRole.DisplayRole: entry.title,
                Qt.ItemDataRole.AccessibleTextRole: said,
            }.get(Qt.ItemDataRole(role))
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return title(row)
        if role == Qt.ItemDataRole.EditRole:
            return row.name
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return spoken(row, time.time())
        return None

    def _arranging(self) -> None:
        self.layoutAboutToBeChanged.emit()
        self._before = self._table.entries

    def _arranged(self) -> None:
        before = self.persistentIndexList()
        after = []
        for index in before:
            entry = self._before[index.row()] if index.row() < len(self._before) else None
            after.append(self.index_of(entry) if isinstance(entry, str) else QModelIndex())
        self.changePersistentIndexList(before, after)
        self._before = []
        self.layoutChanged.emit()

    def _changed(self, run_ids: frozenset[str]) -> None:
        for run_id in run_ids:
            index = self.index_of(run_id)
            if index.isValid():
                self.dataChanged.emit(index, index)
