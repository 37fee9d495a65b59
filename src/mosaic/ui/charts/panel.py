"""Qt view of curves: one chart per metric, all chosen runs overlaid."""

from __future__ import annotations

import importlib
import math
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSlider,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mosaic.analysis.axes import AXES
from mosaic.text import number
from mosaic.ui.charts import export as chart_export
from mosaic.ui.charts.legend import Legend
from mosaic.ui.charts.metric_picker import MetricPicker
from mosaic.ui.charts.model import WHICH
from mosaic.ui.shell.model.words import title
from mosaic.ui.shell.widgets.controls import choice, plain, tool
from mosaic.ui.shell.widgets.message import Message

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.ui.charts.feed import ChartsFeed
    from mosaic.ui.charts.model import Charts
    from mosaic.ui.charts.plot import Plot
    from mosaic.ui.shell.context import Context

__all__ = ["ChartsPanel"]

_WINDOWS = (5, 10, 20, 50, 100, 200, 500, 1000)
_AFTER_FIRST_PAINT_MS = 50  # what the charts need is loaded beside, not before, what is seen first
_NO_RUN = "Choose a run on the left to see its curves.\nChoose several to lay them over one another."


class ChartsPanel(QWidget):
    """Qt view of Charts.

    Args:
        context: shared by all parts of the window.
        charts: what is shown.
        feed: what reads for it while somebody looks.
    """

    def __init__(self, context: Context, charts: Charts, feed: ChartsFeed) -> None:
        super().__init__()
        self._context = context
        self.charts, self.feed = charts, feed
        self.plots: dict[str, Plot] = {}
        self._ready = self._asked_for_plots = False
        self._make_bar()
        self.legend = Legend(self.charts, colour_of=context.colours.of, name_of=self._name_of)
        self._message = Message()
        self._page = QWidget()
        self._column = QVBoxLayout(self._page)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._page)
        self._status = plain(wrap=True)
        self._status.setContentsMargins(8, 2, 8, 2)
        self._status.hide()
        self._shown = shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._bar)
        column.addWidget(self._status)
        column.addWidget(scroll, 1)
        column.addWidget(self.legend)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._message)
        self._stack.addWidget(shown)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._stack)
        self.charts.changed.connect(self._show)
        self.charts.loaded.connect(self._draw)
        context.runs.changed.connect(self._runs_changed)
        context.colours.changed.connect(self._draw)
        self._show()

    # -- the controls ---------------------------------------------------------------------------------------

    def _make_bar(self) -> None:
        self.metrics = tool("Metrics ▾", tip="Choose what is drawn")
        self.picker = MetricPicker(self.charts, self)
        self.metrics.clicked.connect(lambda: self.picker.open_below(self.metrics))
        over = {str(axis): f"over {title}" for axis, title in AXES.items()}
        self.axis = choice(over, tip="What the curves are drawn over", name="Horizontal axis")
        self.axis.currentIndexChanged.connect(lambda _: self.charts.set_axis(self.axis.currentData()))
        tip = "Whose returns and lengths are drawn. A run that only evaluates is drawn in any case."
        self.which = choice(WHICH, tip=tip, name="Episodes")
        self.which.currentIndexChanged.connect(lambda _: self.charts.set_which(self.which.currentData()))
        self.which.hide()
        self.log = tool("Log", tip="Logarithmic vertical axis", checkable=True)
        self.log.toggled.connect(self.charts.set_log)
        self.export = tool("Export ▾", tip="Save as an image or a table")
        menu = QMenu(self.export)
        menu.addAction("Image (PNG)…", lambda: self._export("png"))
        menu.addAction("Drawing (SVG)…", lambda: self._export("svg"))
        menu.addAction("All values (CSV)…", lambda: self._export("csv"))
        self.export.setMenu(menu)
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        first = QHBoxLayout()
        for widget in (self.metrics, self.axis, self.which, self.log):
            first.addWidget(widget)
        first.addStretch(1)
        first.addWidget(self.export)
        ways = {"ema": "Smooth: EMA", "window": "Smooth: window", "none": "As logged"}
        tip = "How curves are smoothed; the raw curve stays faint behind"
        self.kind = choice(ways, tip=tip, name="Smoothing")
        self.amount = QSlider(Qt.Orientation.Horizontal)
        self.amount.setAccessibleName("Amount of smoothing")
        self.told = QLabel()
        self.told.setMinimumWidth(self.told.fontMetrics().horizontalAdvance("last 1000 "))
        second = QHBoxLayout()
        second.addWidget(self.kind)
        second.addWidget(self.amount, 1)
        second.addWidget(self.told)
        self.kind.currentIndexChanged.connect(
            lambda _: self.charts.set_smoothing(replace(self.charts.smoothing, kind=self.kind.currentData()))
        )
        self.amount.valueChanged.connect(self._set_amount)
        self._bar = QVBoxLayout()
        self._bar.setContentsMargins(8, 8, 8, 4)
        self._bar.setSpacing(6)
        self._bar.addLayout(first)
        self._bar.addLayout(second)

    def _set_amount(self, value: int) -> None:
        now = self.charts.smoothing
        self.charts.set_smoothing(
            replace(now, window=_WINDOWS[value])
            if now.kind == "window"
            else replace(now, weight=value / 1000)
        )

    def _show_settings(self) -> None:
        """The controls as the model is set, by whichever view."""
        now = self.charts.smoothing
        controls = (self.axis, self.which, self.log, self.kind, self.amount)
        for control in controls:
            control.blockSignals(True)  # the model knows it already
        self.axis.setCurrentIndex(self.axis.findData(self.charts.axis))
        self.which.setCurrentIndex(self.which.findData(self.charts.which))
        self.log.setChecked(self.charts.log)
        self.kind.setCurrentIndex(self.kind.findData(now.kind))
        if now.kind == "window":
            self.amount.setRange(0, len(_WINDOWS) - 1)
            self.amount.setValue(bisect_left(_WINDOWS, now.window))
        else:
            self.amount.setRange(0, 999)
            self.amount.setValue(round(now.weight * 1000))
        for control in controls:
            control.blockSignals(False)
        self.amount.setEnabled(now.kind != "none")
        amounts = {"ema": f"{now.weight:.3f}", "window": f"last {now.window}", "none": ""}
        self.told.setText(amounts[now.kind])

    # -- what is shown --------------------------------------------------------------------------------------

    def _name_of(self, run_id: str) -> str:
        row = self._context.runs.get(run_id)
        if row is None:
            return run_id
        return (
            title(row) if row.name else f"{title(row)} …{run_id[-6:]}"
        )  # unnamed ones are often called alike

    def _show(self) -> None:
        self._show_settings()
        if not self.charts.runs:
            self._message.say(_NO_RUN)
        elif not self._ready:
            self._message.say("Loading…")
        self._stack.setCurrentIndex(1 if self.charts.runs and self._ready else 0)
        self._draw()

    def _runs_changed(self, moved: frozenset[str]) -> None:
        if self.isVisible() and moved & set(self.charts.runs):
            self.legend.refresh()

    def _draw(self) -> None:
        if not self._ready or not self.isVisible():
            return
        self.which.setVisible(self.charts.has_evaluation or self.charts.which != "")
        self._match_plots()
        for plot in self.plots.values():
            plot.redraw()
        self.legend.refresh()
        told = [f"{self._name_of(run_id)}: {text}" for run_id, text in self.charts.problems.items()]
        if self.charts.left_out:
            told.append(
                f"{self.charts.left_out} of the chosen runs are not drawn: {len(self.charts.runs)} at most."
            )
        self._status.setText("\n".join(told))
        self._status.setVisible(bool(told))

    def _match_plots(self) -> None:
        """One chart for each metric."""
        from mosaic.ui.charts.plot import Plot

        for key in [one for one in self.plots if one not in self.charts.keys]:
            gone = self.plots.pop(key)
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for at, key in enumerate(self.charts.keys):
            if key not in self.plots:
                plot = self.plots[key] = Plot(self.charts, key, colour_of=self._context.colours.of)
                plot.pointed.connect(self._pointed)
                plot.x_moved.connect(self._x_moved)
                plot.following.connect(self._follow)
                plot.closed.connect(self.charts.toggle)
            if self._column.indexOf(self.plots[key]) != at:
                self._column.insertWidget(at, self.plots[key], 1)
        for key, plot in self.plots.items():
            plot.show_axis(AXES[self.charts.axis], last=key == self.charts.keys[-1])

    def _pointed(self, key: str, x: float) -> None:
        for plot in self.plots.values():
            plot.point(x)
        if math.isfinite(x) and key in self.plots:
            self.legend.show_values(self.plots[key].values(x))
            self.plots[key].say_x(f"at {number(round(x, 3))}")
        else:
            self.legend.show_values({})
            for plot in self.plots.values():
                plot.say_x("")

    def _x_moved(self, low: float, high: float) -> None:
        for plot in self.plots.values():
            if plot is not self.sender():
                plot.show_x(low, high)

    def _follow(self) -> None:
        for plot in self.plots.values():
            if plot is not self.sender():
                plot.follow_quietly()

    # -- being seen -----------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Read while somebody looks."""
        super().showEvent(event)
        if not self._asked_for_plots:
            self._asked_for_plots = True
            QTimer.singleShot(_AFTER_FIRST_PAINT_MS, self, self._load_plots)
        self.feed.start(self)
        self._draw()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: read nothing."""
        self.feed.stop(self)
        super().hideEvent(event)

    def _load_plots(self) -> None:
        if not self.isVisible():
            self._asked_for_plots = False
            return
        self._context.ops.run(
            lambda: importlib.import_module("mosaic.ui.charts.plot"), done=lambda _: self._plots_ready()
        )

    def _plots_ready(self) -> None:
        self._ready = True
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed: the curves' colours with it."""
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()
        super().changeEvent(event)

    # -- files ----------------------------------------------------------------------------------------------

    def _export(self, suffix: str) -> None:
        def take(path: Path) -> None:
            self.save(path, suffix)

        chart_export.ask_path(self, suffix=suffix, take=take)

    @property
    def said(self) -> str:
        """What the panel tells in words."""
        return self._message.label.text() if self._stack.currentIndex() == 0 else self._status.text()

    def save(self, path: Path, suffix: str) -> None:
        """Write the charts to a file: `png`, `svg` or `csv`."""
        if suffix == "csv":
            names = {
                run_id: self._name_of(run_id) for run_id in self.charts.runs if self.charts.audible(run_id)
            }
            chart_export.export_csv(self._context, path, names=names, keys=self.charts.keys)
        elif suffix == "svg":
            chart_export.export_svg(self._context, self._shown, path)
        else:
            chart_export.export_png(self._context, self._shown, path)
