"""Qt view of the runs in the charts: colour, name, value at the crosshair, solo and mute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from mosaic.ui.shell.widgets.controls import tool
from mosaic.ui.shell.widgets.elided import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtGui import QPaintEvent

    from mosaic.ui.charts.model import Charts

__all__ = ["Legend"]

_ROWS_SEEN = 5


class _Swatch(QWidget):
    """A stroke in a run's colour."""

    def __init__(self) -> None:
        super().__init__()
        self._colour = QColor()
        self.setFixedSize(18, 12)

    def show_colour(self, colour: str, *, faint: bool) -> None:
        self._colour = QColor(colour)
        self._colour.setAlpha(70 if faint else 255)
        self.update()

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() // 2 - 2, self.width(), 4, self._colour)
        painter.end()


class _Row(QWidget):
    muted, alone = Signal(str), Signal(str)

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self.swatch, self.name, self.value = _Swatch(), ElidedLabel(), QLabel()
        self.value.setTextFormat(Qt.TextFormat.PlainText)
        self.value.setForegroundRole(QPalette.ColorRole.Text)
        self.value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.solo = tool("Solo", tip="Show only this run", checkable=True, flat=True)
        self.mute = tool("Mute", tip="Hide this run's curves", checkable=True, flat=True)
        self.solo.clicked.connect(lambda: self.alone.emit(run_id))
        self.mute.clicked.connect(lambda: self.muted.emit(run_id))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(6)
        row.addWidget(self.swatch)
        row.addWidget(self.name, 1)
        for widget in (self.value, self.solo, self.mute):
            row.addWidget(widget)


class Legend(QScrollArea):
    """Qt view of the runs of Charts."""

    def __init__(
        self, charts: Charts, *, colour_of: Callable[[str], str], name_of: Callable[[str], str]
    ) -> None:
        super().__init__()
        self._charts, self._colour_of, self._name_of = charts, colour_of, name_of
        self.rows: dict[str, _Row] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Runs in the charts")
        inner = QWidget()
        self._column = QVBoxLayout(inner)
        self._column.setContentsMargins(0, 4, 0, 4)
        self._column.setSpacing(0)
        self._column.addStretch(1)
        self.setWidget(inner)

    def refresh(self) -> None:
        """Show the runs there are, and how they stand."""
        for run_id in [one for one in self.rows if one not in self._charts.runs]:
            gone = self.rows.pop(run_id)
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for at, run_id in enumerate(self._charts.runs):
            row = self.rows.get(run_id)
            if row is None:
                row = self.rows[run_id] = _Row(run_id)
                row.muted.connect(self._charts.mute)
                row.alone.connect(self._charts.only)
            if self._column.indexOf(row) != at:
                self._column.insertWidget(at, row)
            row.swatch.show_colour(self._colour_of(run_id), faint=not self._charts.audible(run_id))
            name = self._name_of(run_id)
            if row.name.accessibleName() != name:
                row.name.show_text(name)
                row.solo.setAccessibleName(f"Solo {name}")
                row.mute.setAccessibleName(f"Mute {name}")
            row.name.setToolTip(f"{name}\n{run_id}")
            row.solo.setChecked(self._charts.solo == run_id)
            row.mute.setChecked(run_id in self._charts.muted)
        if self.rows:
            height = next(iter(self.rows.values())).sizeHint().height()
            self.setFixedHeight(height * min(_ROWS_SEEN, len(self.rows)) + 10)

    def show_values(self, values: Mapping[str, str]) -> None:
        """The runs' values at the crosshair."""
        for run_id, row in self.rows.items():
            row.value.setText(values.get(run_id, ""))
