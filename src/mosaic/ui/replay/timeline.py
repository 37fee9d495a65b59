"""Qt view of a transport as a line through an episode, with the rewards. Click or drag to seek."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mosaic.text import count, number
from mosaic.ui.replay.model import bars
from mosaic.ui.shell.theme import tone

if TYPE_CHECKING:
    import numpy.typing as npt
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent

    from mosaic.ui.replay.model import Transport

__all__ = ["Timeline"]

_INSET = 7
_RULER = 14
_APART = 4.0


class Timeline(QWidget):
    """Draws every step's reward, the lowest and highest per pixel when there are more steps than pixels."""

    def __init__(self, transport: Transport) -> None:
        super().__init__()
        self._transport = transport
        self._rewards: npt.NDArray[np.float64] = np.empty(0)
        self._bars: npt.NDArray[np.float64] | None = None
        self._diverged: int | None = None
        self._values: list[tuple[int, float]] = []
        self.setAccessibleName("Timeline")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        transport.changed.connect(self._moved)

    def load(
        self,
        rewards: npt.NDArray[np.float64],
        *,
        diverged: int | None = None,
        values: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """Another episode: its rewards, and the frame from which on it is not as recorded.

        `values` are what was expected at each frame, NaN where nobody knows: a line over the rewards.
        """
        self._rewards, self._bars, self._diverged = rewards, None, diverged
        known = np.empty(0, np.int64) if values is None else np.flatnonzero(np.isfinite(values))
        self._values = [] if values is None else [(int(at), float(values[at])) for at in known]
        self._moved()

    def _moved(self) -> None:
        at = self._transport
        self.setAccessibleDescription(f"Step {at.position} of {at.last}")
        self.update()

    def sizeHint(self) -> QSize:
        """As high as rewards need to be told apart."""
        return QSize(300, 64)

    def minimumSizeHint(self) -> QSize:
        """Never flatter."""
        return QSize(120, 64)

    # ---- where things lie ----

    def x_of(self, position: float) -> float:
        """Where a frame lies."""
        return _INSET + position / max(1, self._transport.last) * (self.width() - 2 * _INSET)

    def position_at(self, x: float) -> int:
        """Which frame lies nearest to there."""
        share = (x - _INSET) / max(1, self.width() - 2 * _INSET)
        return round(min(max(share, 0.0), 1.0) * self._transport.last)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._transport.seek(self.position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go along, or say what is there."""
        position = self.position_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._transport.seek(position)
        elif self._transport.last and position:
            reward = number(float(self._rewards[position - 1])) if position <= len(self._rewards) else "-"
            QToolTip.showText(
                event.globalPosition().toPoint(), f"step {count(position)}: reward {reward}", self
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other pixels, other bars."""
        self._bars = None
        super().resizeEvent(event)

    # ---- drawing ----

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw all of it: some hundred lines."""
        painter = QPainter(self)
        palette = self.palette()
        ground = palette.color(QPalette.ColorRole.Base)
        field = QRectF(0, _RULER, self.width(), self.height() - _RULER)
        painter.fillRect(field, ground)
        self._draw_rewards(painter, field.adjusted(_INSET, 4, -_INSET, -4))
        if self._diverged is not None:
            left = self.x_of(self._diverged)
            shade = QColor(tone("bad", palette))
            shade.setAlpha(40)
            painter.fillRect(QRectF(left, field.top(), self.width() - left, field.height()), shade)
        self._draw_values(painter, field.adjusted(_INSET, 4, -_INSET, -4))
        self._draw_ruler(painter)
        self._draw_position(painter, field)
        painter.end()

    def _draw_rewards(self, painter: QPainter, field: QRectF) -> None:
        columns = int(field.width())
        if not len(self._rewards) or columns < 2:
            return
        if self._bars is None or len(self._bars) != columns:
            self._bars = bars(np.where(np.isfinite(self._rewards), self._rewards, np.nan), columns)
        low = float(np.nanmin(self._bars)) if not np.isnan(self._bars).all() else 0.0
        high = float(np.nanmax(self._bars)) if not np.isnan(self._bars).all() else 0.0
        low, high = min(low, 0.0), max(high, 0.0)
        scale = field.height() / (high - low) if high > low else 0.0
        zero = field.bottom() + low * scale if scale else field.bottom()
        colour = QColor(tone("accent", self.palette()))
        colour.setAlpha(150)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        wide = columns / len(self._rewards)
        if wide >= _APART:  # room for a bar for each step, and a gap after it
            finite = np.where(np.isfinite(self._rewards), self._rewards, np.nan)
            drawn = [(n * wide, wide - 1.0, value, value) for n, value in enumerate(finite)]
        else:
            drawn = [(float(n), 1.0, least, most) for n, (least, most) in enumerate(self._bars)]
        for left, width, least, most in drawn:
            if np.isnan(least):
                continue
            top = zero - max(float(most), 0.0) * scale
            bottom = zero - min(float(least), 0.0) * scale
            painter.drawRect(QRectF(field.left() + left, top, width, max(bottom - top, 1.0)))
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Mid), 1))
        painter.drawLine(QPointF(field.left(), zero), QPointF(field.right(), zero))

    def _draw_values(self, painter: QPainter, field: QRectF) -> None:
        """The value as a line, on a scale of its own; thinned to the pixels there are."""
        skip = max(1, len(self._values) // max(1, int(field.width())))
        shown = self._values[::skip]
        if len(shown) < 2:
            return
        low, high = min(value for _, value in shown), max(value for _, value in shown)
        scale = field.height() / (high - low) if high > low else 0.0
        points = [QPointF(self.x_of(at), field.bottom() - (value - low) * scale) for at, value in shown]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tone("warn", self.palette()), 1.5))
        painter.drawPolyline(QPolygonF(points))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _draw_ruler(self, painter: QPainter) -> None:
        last = self._transport.last
        font = self.font()
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.8))
        painter.setFont(font)
        painter.setPen(tone("quiet", self.palette()))
        painter.drawText(QRectF(_INSET, 0, 200, _RULER), int(Qt.AlignmentFlag.AlignLeft), self._about())
        right = QRectF(self.width() - 200 - _INSET, 0, 200, _RULER)
        painter.drawText(right, int(Qt.AlignmentFlag.AlignRight), f"{count(last)} steps" if last else "")

    def _about(self) -> str:
        return "reward per step, value as a line" if len(self._values) > 1 else "reward per step"

    def _draw_position(self, painter: QPainter, field: QRectF) -> None:
        if not self._transport.last:
            return
        x = self.x_of(self._transport.position)
        colour = self.palette().color(QPalette.ColorRole.Text)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, 1.5))
        painter.drawLine(QPointF(x, field.top()), QPointF(x, field.bottom()))
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        head = [QPointF(x - 5, field.top()), QPointF(x + 5, field.top()), QPointF(x, field.top() + 8)]
        painter.drawPolygon(QPolygonF(head))
