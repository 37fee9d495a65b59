"""Qt view of the metrics there are: a list to search, grouped, canonical names first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from mosaic.ui.charts.model import matches

if TYPE_CHECKING:
    from mosaic.ui.charts.model import Charts

__all__ = ["MetricPicker"]

_KEY = Qt.ItemDataRole.UserRole


class MetricPicker(QFrame):
    """Qt view of the choices of Charts, opened below a button. A click or Enter shows or hides a metric."""

    def __init__(self, charts: Charts, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._charts = charts
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search metrics")
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName("Search metrics")
        self.search.textChanged.connect(lambda _: self.fill())
        self.search.installEventFilter(self)
        self.list = QTreeWidget()
        self.list.setHeaderHidden(True)
        self.list.setUniformRowHeights(True)
        self.list.setRootIsDecorated(False)
        self.list.setAccessibleName("Metrics")
        self.list.itemClicked.connect(lambda item, _: self._toggle(item))
        self.list.itemActivated.connect(lambda item, _: self._toggle(item))
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(self.search)
        column.addWidget(self.list)
        self._busy = False
        charts.loaded.connect(self._refresh)

    def open_below(self, button: QWidget) -> None:
        """Show the list under a button."""
        self.search.clear()
        self.fill()
        self.resize(max(280, button.width()), 360)
        self.move(button.mapToGlobal(QPoint(0, button.height() + 2)))
        self.show()
        self.search.setFocus()

    def fill(self) -> None:
        """List what there is and answers to the search."""
        current = self.list.currentItem()
        chosen = current.data(0, _KEY) if current is not None else None
        self.list.clear()
        groups: dict[str, QTreeWidgetItem] = {}
        for choice in self._charts.choices:
            if not matches(choice, self.search.text()):
                continue
            if choice.group not in groups:
                group = QTreeWidgetItem(self.list, [choice.group])
                group.setFlags(Qt.ItemFlag.ItemIsEnabled)
                font = group.font(0)
                font.setBold(True)
                group.setFont(0, font)
                groups[choice.group] = group
            item = QTreeWidgetItem(groups[choice.group], [choice.key])
            item.setData(0, _KEY, choice.key)
            item.setCheckState(
                0, Qt.CheckState.Checked if choice.key in self._charts.keys else Qt.CheckState.Unchecked
            )
            if choice.key == chosen:
                self.list.setCurrentItem(item)
        self.list.expandAll()
        if not groups:
            text = "No metric is called that." if self.search.text() else "No metrics yet."
            QTreeWidgetItem(self.list, [text]).setFlags(Qt.ItemFlag.NoItemFlags)

    def _refresh(self) -> None:
        if self.isVisible():
            self.fill()

    def _toggle(self, item: QTreeWidgetItem) -> None:
        key = item.data(0, _KEY)
        if key is None or self._busy:
            return
        self._busy = True  # Enter on an item is both a click and an activation in some styles
        self._charts.toggle(key)
        item.setCheckState(0, Qt.CheckState.Checked if key in self._charts.keys else Qt.CheckState.Unchecked)
        self._busy = False

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Down goes from the search into the list; Enter takes the first that answers."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                first = self._first()
                if first is not None:
                    self.list.setCurrentItem(first)
                    self.list.setFocus()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                first = self._first()
                if first is not None:
                    self._toggle(first)
                return True
        return False

    def _first(self) -> QTreeWidgetItem | None:
        group = self.list.topLevelItem(0)
        return group.child(0) if group is not None and group.childCount() else None
