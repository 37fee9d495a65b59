"""Qt view of columns of episodes: a table that makes no rows, whatever their number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from mosaic import text
from mosaic.ui.episodes.model import COLUMNS
from mosaic.ui.shell.model.numbers import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from mosaic.ui.episodes.model import Episodes

__all__ = ["EpisodeTable"]

_TITLES = {
    "index": "#", "return": "Return", "length": "Length", "outcome": "Outcome", "role": "Role",
    "seed": "Seed", "env": "Environment", "agent": "Agent", "ended": "Ended",
}  # fmt: skip
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_ROOT = QModelIndex()


class EpisodeTable(QAbstractTableModel):
    """Qt view of Episodes, in an order."""

    def __init__(self) -> None:
        super().__init__()
        self.episodes: Episodes | None = None
        self.order: npt.NDArray[np.int64] = np.empty(0, np.int64)

    def show(self, episodes: Episodes | None, order: npt.NDArray[np.int64]) -> None:
        """Show these. Rows are added or taken at the end; what stands in them is read anew."""
        before, now = len(self.order), len(order)
        if now > before:
            self.beginInsertRows(_ROOT, before, now - 1)
        elif now < before:
            self.beginRemoveRows(_ROOT, now, before - 1)
        self.episodes, self.order = episodes, order
        if now > before:
            self.endInsertRows()
        elif now < before:
            self.endRemoveRows()
        if min(now, before):
            self.dataChanged.emit(self.index(0, 0), self.index(min(now, before) - 1, len(COLUMNS) - 1))

    def episode_at(self, row: int) -> int | None:
        """The index of the episode in a row."""
        if self.episodes is None or not 0 <= row < len(self.order):
            return None
        return int(self.episodes.index[self.order[row]])

    def row_of(self, episode: int) -> int | None:
        """The row of an episode, by its index."""
        if self.episodes is None:
            return None
        at = int(np.searchsorted(self.episodes.index, episode))
        found = np.flatnonzero(self.order == at)
        there = len(found) and self.episodes.index[at] == episode
        return int(found[0]) if there else None

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """How many are shown."""
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        """One for each thing to know."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """What the columns are called."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[COLUMNS[section]]
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = 0) -> Any:
        """One cell."""
        if self.episodes is None or not index.isValid() or index.row() >= len(self.order):
            return None
        name = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if name in ("index", "return", "length", "seed") else _LEFT
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        at = int(self.order[index.row()])
        if name == "ended" and role == Qt.ItemDataRole.ToolTipRole:
            return clock(float(self.episodes.t_end[at]))
        return self._text(name, at)

    def _text(self, name: str, at: int) -> str:
        shown = self.episodes
        if shown is None:
            return ""
        if name in ("outcome", "role", "env", "agent"):
            return text.visible(shown.text(int(getattr(shown, name)[at])))
        return _WRITTEN[name](shown, at)


def _or_nothing(value: float, write: Callable[[float], str]) -> str:
    return "" if math.isnan(value) else write(value)


_WRITTEN: dict[str, Callable[[Episodes, int], str]] = {
    "index": lambda shown, at: str(int(shown.index[at])),
    "return": lambda shown, at: text.number(float(shown.return_[at])),
    "length": lambda shown, at: text.count(int(shown.steps[at])),
    "seed": lambda shown, at: _or_nothing(float(shown.seed[at]), "{:.0f}".format),
    "ended": lambda shown, at: _or_nothing(float(shown.t_end[at]), lambda t: clock(t)[-8:]),
}
