"""Qt view of one metric: the curves of all runs shown, drawn with pyqtgraph.

Draws only what the screen can show of the range it shows. Loading this module loads pyqtgraph, which takes a
while: the panel has it done off the window's thread.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from mosaic.analysis.series import at, draw, marks
from mosaic.text import number
from mosaic.ui.charts.plot_parts import Axis, View
from mosaic.ui.shell.widgets.controls import plain, tool
from mosaic.ui.shell.widgets.elided import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QKeyEvent

    from mosaic.analysis.series import Curve, Floats
    from mosaic.ui.charts.model import Charts

__all__ = ["Plot"]

_FAINT = 70  # of 255: the raw curve behind a smoothed one
_MARKS = {"nan": "x", "+inf": "t1", "-inf": "t"}


class Plot(QWidget):
    """Qt view of one metric of Charts."""

    pointed = Signal(str, float)
    """The crosshair is at this x, in this metric; NaN: it is gone."""
    x_moved = Signal(float, float)
    """The user chose another range of x."""
    following = Signal()
    """The user wants to see everything again."""
    closed = Signal(str)

    def __init__(self, charts: Charts, key: str, *, colour_of: Callable[[str], str]) -> None:
        super().__init__()
        self.key = key
        self._charts = charts
        self._colour_of = colour_of
        self._lines: dict[str, tuple[Any, Any]] = {}
        self._following = self._auto_y = True
        self._moving = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.redraw)
        self._view = View(follow=self.follow, moved=self.leave_follow)
        self.graphics = pg.PlotWidget(
            viewBox=self._view, axisItems={"left": Axis("left"), "bottom": Axis("bottom")}
        )
        self.graphics.setAccessibleName(f"Chart of {key}")
        self.graphics.setMinimumHeight(130)
        item = self.graphics.getPlotItem()
        item.hideButtons()
        item.showGrid(x=True, y=True, alpha=0.15)
        for side in ("left", "bottom"):
            item.getAxis(side).enableAutoSIPrefix(False)
            item.getAxis(side).setStyle(maxTickLevel=0)  # minor ticks are most of what drawing costs
        item.getAxis("left").setWidth(46)
        self._scatter = pg.ScatterPlotItem(pxMode=True, pen=None)
        self._cross = pg.InfiniteLine(angle=90, movable=False)
        self._cross.setVisible(False)
        for one in (self._scatter, self._cross):
            item.addItem(one, ignoreBounds=True)
        self._view.sigXRangeChanged.connect(self._x_changed)
        self._view.sigYRangeChanged.connect(lambda *_: self._draw_marks())
        self.graphics.scene().sigMouseMoved.connect(self._mouse)
        self.graphics.viewport().installEventFilter(self)
        self._lay_out()
        self.restyle()

    def _lay_out(self) -> None:
        self._title = plain(self.key)
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self._note = ElidedLabel()
        self._note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._where = QLabel()
        cross = "\N{MULTIPLICATION SIGN}"
        close = tool(cross, tip=f"Hide {self.key}", flat=True, act=lambda: self.closed.emit(self.key))
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 4, 0)
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addWidget(self._note, 1)
        head.addWidget(self._where)
        head.addWidget(close)
        self._empty = QLabel(self.graphics)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._empty.setTextFormat(Qt.TextFormat.PlainText)
        self._empty.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._empty.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.graphics, 1)

    # -- range ----------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Show everything, and go on doing so while there is more."""
        self._following = self._auto_y = True
        self.redraw()
        self.following.emit()

    def follow_quietly(self) -> None:
        """Show everything because another chart does."""
        self._following = self._auto_y = True
        self.redraw()

    def leave_follow(self, *, keep_y: bool) -> None:
        """The user moves the view from now on; `keep_y`: only along x."""
        self._following = False
        self._auto_y = self._auto_y and keep_y

    def show_x(self, low: float, high: float) -> None:
        """Show the range another chart shows."""
        self._following = False
        self._set_x(low, high)
        self.redraw()

    def _set_x(self, low: float, high: float) -> None:
        self._moving = True
        self._view.setXRange(low, high, padding=0)
        self._moving = False

    def _x_changed(self, _: object, span: tuple[float, float]) -> None:
        if not self._moving:
            self._soon.start()
            if not self._following:
                self.x_moved.emit(*span)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom with + and -, back with 0, to the sides with the arrows."""
        (low, high), _ = self._view.viewRange()
        width, middle = high - low, (low + high) / 2
        moves = {
            Qt.Key.Key_Plus: (middle - width / 4, middle + width / 4),
            Qt.Key.Key_Minus: (middle - width, middle + width),
            Qt.Key.Key_Left: (low - width / 10, high - width / 10),
            Qt.Key.Key_Right: (low + width / 10, high + width / 10),
        }
        move = moves.get(Qt.Key(event.key()))
        if event.key() == Qt.Key.Key_0:
            self.follow()
        elif move is not None:
            self.leave_follow(keep_y=True)
            self._view.setXRange(*move, padding=0)
        else:
            super().keyPressEvent(event)

    # -- drawing --------------------------------------------------------------------------------------------

    def redraw(self) -> None:
        """Draw what the model has, in the range there is."""
        self._soon.stop()
        curves = self._charts.curves(self.key)
        if self._following:
            ends = [(curve.x[0], curve.x[-1]) for curve in curves.values() if len(curve.x)]
            if ends:
                low, high = float(min(e[0] for e in ends)), float(max(e[1] for e in ends))
                room = (high - low) * 0.01 or max(1.0, abs(low) * 0.01)
                self._set_x(low - room, high + room)
        left = self.graphics.getPlotItem().getAxis("left")
        if left.logMode != self._charts.log:
            left.setLogMode(self._charts.log)
        for run_id in [one for one in self._lines if one not in curves]:
            for line in self._lines.pop(run_id):
                self._view.removeItem(line)
        for run_id, curve in curves.items():
            self._draw(run_id, curve)
        self._fit_y()
        self._draw_marks()
        self._say(curves)

    def _draw(self, run_id: str, curve: Curve) -> None:
        if run_id not in self._lines:
            self._lines[run_id] = (pg.PlotCurveItem(), pg.PlotCurveItem())
            for number, line in enumerate(self._lines[run_id]):
                line.setZValue(number)
                self._view.addItem(line, ignoreBounds=True)
        raw, smooth = self._lines[run_id]
        (low, high), _ = self._view.viewRange()
        pixels = max(50, int(self._view.width()))
        smoothed = self._charts.smoothing.kind != "none"
        colour = QColor(self._colour_of(run_id))
        faint = QColor(colour)
        faint.setAlpha(_FAINT)
        for line, on, shade in ((raw, True, faint if smoothed else colour), (smooth, smoothed, colour)):
            line.setVisible(on)
            if on:
                drawn = draw(
                    curve, low=low, high=high, pixels=pixels, smooth=line is smooth, log=self._charts.log
                )
                front = line is smooth or not smoothed
                # A thick line of many points takes Qt several times as long as a thin one.
                width = 2 if front and len(drawn.x) <= 2 * pixels else 1
                pen = pg.mkPen(shade, width=width)
                line.setData(drawn.x, drawn.y, pen=pen, connect="finite", antialias=front)

    def _fit_y(self) -> None:
        if not self._auto_y:
            return
        lows, highs = [], []
        for line in (line for pair in self._lines.values() for line in pair if line.isVisible()):
            y = line.yData
            if y is not None and len(y) and np.isfinite(y).any():
                lows.append(float(np.nanmin(y)))
                highs.append(float(np.nanmax(y)))
        if lows:
            low, high = min(lows), max(highs)
            room = (high - low) * 0.06 or max(abs(low) * 0.05, 0.5)
            self._view.setYRange(low - room, high + room, padding=0)

    def _draw_marks(self) -> None:
        """What is not a number is marked at the edge; a lone value gets a dot, as it makes no line."""
        (low, high), (bottom, top) = self._view.viewRange()
        room = (top - bottom) * 0.03
        spots: list[dict[str, Any]] = []
        pixels = max(50, int(self._view.width()))
        for run_id, curve in self._charts.curves(self.key).items():
            brush = pg.mkBrush(self._colour_of(run_id))
            for x, kind in marks(curve, low=low, high=high, pixels=pixels):
                y = top - room if kind == "+inf" else bottom + room
                spots.append(
                    {"pos": QPointF(x, y), "symbol": _MARKS[kind], "size": 9, "brush": brush, "pen": None}
                )
            if len(curve.x) == 1 and math.isfinite(curve.y[0]):
                y = float(curve.y[0])
                if not self._charts.log or y > 0:
                    y = math.log10(y) if self._charts.log else y
                    spots.append(
                        {"pos": QPointF(float(curve.x[0]), y), "size": 6, "brush": brush, "pen": None}
                    )
        self._scatter.setData(spots)

    def _say(self, curves: dict[str, Curve]) -> None:
        """What the curves alone do not tell."""
        told = []
        counts = {"NaN": 0, "infinite": 0}
        for curve in curves.values():
            nans = int(np.isnan(curve.bad_y).sum())
            counts["NaN"] += nans
            counts["infinite"] += len(curve.bad_y) - nans
        told += [f"{count:,} {what}" for what, count in counts.items() if count]
        nowhere = sum(curve.nowhere for curve in curves.values())
        if nowhere:
            values = "value" if nowhere == 1 else "values"
            told.append(f"{nowhere:,} {values} without a position on this axis")
        if self._charts.log and any((curve.y <= 0).any() for curve in curves.values()):
            told.append("values ≤ 0 are not shown")
        if any(curve.thinned for curve in curves.values()):
            told.append("older values thinned")
        self._note.show_text(", ".join(told))
        self._note.setToolTip("\n".join(told))
        shown = any(len(curve.x) for curve in curves.values())
        self._empty.setText(self._why_empty(curves) if not shown else "")
        self._empty.setVisible(not shown)
        self._empty.setGeometry(self.graphics.rect().adjusted(60, 10, -20, -30))

    def _why_empty(self, curves: dict[str, Curve]) -> str:
        if self._charts.waiting:
            return "Loading…"
        if curves:
            return "These values have no position on this axis. Choose another one above."
        if self._charts.runs and not any(self._charts.audible(run_id) for run_id in self._charts.runs):
            return "All runs are muted. Unmute one below."
        return f"No value of {self.key} yet."

    # -- what is on the screen ------------------------------------------------------------------------------

    def line_of(self, run_id: str) -> Floats | None:
        """The raw curve of a run, as drawn."""
        lines = self._lines.get(run_id)
        return None if lines is None else lines[0].yData

    def x_of(self, run_id: str) -> list[float]:
        """Where the values of a run are drawn."""
        return [float(x) for x in self._lines[run_id][0].xData] if run_id in self._lines else []

    def smooth_of(self, run_id: str) -> list[float]:
        """The smoothed curve of a run, as drawn."""
        drawn = self._lines[run_id][1].yData if run_id in self._lines else None
        return [] if drawn is None else [float(y) for y in drawn]

    @property
    def marked(self) -> list[tuple[float, float]]:
        """Where something is marked."""
        return [(spot.pos().x(), spot.pos().y()) for spot in self._scatter.points()]

    @property
    def span(self) -> tuple[float, float]:
        """The range of x in view."""
        low, high = self._view.viewRange()[0]
        return low, high

    @property
    def note(self) -> str:
        """What is said beside the title."""
        return self._note.accessibleName()

    # -- crosshair ------------------------------------------------------------------------------------------

    def point(self, x: float) -> None:
        """Put the crosshair at an x; NaN takes it away."""
        self._cross.setVisible(math.isfinite(x))
        if math.isfinite(x):
            self._cross.setValue(x)

    def say_x(self, text: str) -> None:
        """Where the crosshair is."""
        self._where.setText(text)

    def show_axis(self, title: str, *, last: bool) -> None:
        """What x is; written under the last chart, as all have the same."""
        axis = self.graphics.getPlotItem().getAxis("bottom")
        axis.setLabel(title if last else None)
        axis.showLabel(last)

    def values(self, x: float) -> dict[str, str]:
        """What each run has nearest to an x, as text."""
        found = {}
        for run_id, curve in self._charts.curves(self.key).items():
            near = at(curve, x)
            if near is not None:
                _, value, smooth = near
                text = number(value)
                if self._charts.smoothing.kind != "none" and math.isfinite(smooth):
                    text = f"{number(smooth)} ({text})"
                found[run_id] = text
        return found

    def _mouse(self, point: QPointF) -> None:
        if self.graphics.getPlotItem().vb.sceneBoundingRect().contains(point):
            self.pointed.emit(self.key, float(self._view.mapSceneToView(point).x()))
        else:
            self.pointed.emit(self.key, math.nan)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """The pointer left: so does the crosshair."""
        if event.type() == QEvent.Type.Leave:
            self.pointed.emit(self.key, math.nan)
        elif event.type() == QEvent.Type.Resize:
            self._soon.start()
        return False

    # -- looks ----------------------------------------------------------------------------------------------

    def restyle(self) -> None:
        """Take the palette's colours."""
        palette = self.palette()
        ground = palette.color(QPalette.ColorRole.Base)
        text = palette.color(QPalette.ColorRole.Text)
        line = QColor(text)
        line.setAlpha(110)
        self.graphics.setBackground(ground)
        for side in ("left", "bottom"):
            axis = self.graphics.getPlotItem().getAxis(side)
            axis.setPen(pg.mkPen(line))
            axis.setTextPen(pg.mkPen(text))
        self._cross.setPen(pg.mkPen(line, style=Qt.PenStyle.DashLine))
        self._soon.start()

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed."""
        if event.type() == QEvent.Type.PaletteChange:
            self.restyle()
        super().changeEvent(event)
