"""Qt view of an insight: a bar for each action, the executed one marked, and the value in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from mosaic.text import number
from mosaic.ui.replay.insight import best_first, heading
from mosaic.ui.shell.theme import tone

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from mosaic.ui.replay.insight import Insight

__all__ = ["Xray"]

_WIDTH, _MARGIN, _LABEL = 190, 8, 34
_MOST_LINE = 22.0


class Xray(QWidget):
    """Shows what was known when the next action was decided."""

    def __init__(self) -> None:
        super().__init__()
        self._insight: Insight | None = None
        self.setAccessibleName("Policy: what the next decision was made of")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    @property
    def insight(self) -> Insight | None:
        """What is shown."""
        return self._insight

    def show_insight(self, insight: Insight | None) -> None:
        """Show this one."""
        if insight != self._insight:
            self._insight = insight
            listed = [] if insight is None else best_first(insight, most=9)
            scores = ", ".join(f"{action}: {number(score)}" for action, score in listed)
            self.setAccessibleDescription(". ".join([*heading(insight), scores]))
            self.update()

    def sizeHint(self) -> QSize:
        """Narrow, beside a frame."""
        return QSize(_WIDTH, 200)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw heading and bars."""
        painter = QPainter(self)
        palette = self.palette()
        painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Base))
        line = self.fontMetrics().height() + 2.0
        top = float(_MARGIN)
        for text in heading(self._insight):
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            room = QRectF(_MARGIN, top, self.width() - 2 * _MARGIN, line)
            short = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft), short)
            top += line
        if self._insight is not None and self._insight.scores:
            self._draw_bars(painter, self._insight, top + _MARGIN)
        painter.end()

    def _draw_bars(self, painter: QPainter, insight: Insight, top: float) -> None:
        room = self.height() - top - _MARGIN
        least = self.fontMetrics().height() + 3.0
        drawn = best_first(insight, most=max(1, int(room / least)))
        high = min(_MOST_LINE, max(least, room / len(drawn)))
        scores = [score for _, score in drawn]
        low, most = min(0.0, *scores), max(0.0, *scores)
        if insight.kind == "probs":
            most = 1.0
        left, wide = _MARGIN + _LABEL, self.width() - 2 * _MARGIN - _LABEL
        scale = wide / (most - low) if most > low else 0.0
        text, quiet = self.palette().color(QPalette.ColorRole.Text), tone("quiet", self.palette())
        for line, (action, score) in enumerate(drawn):
            y, chosen = top + line * high, action == insight.chosen
            bar = QColor(tone("accent" if chosen else "quiet", self.palette()))
            bar.setAlpha(190 if chosen else 90)
            begin, end = sorted(((0.0 - low) * scale, (score - low) * scale))
            painter.fillRect(QRectF(left + begin, y + 1, max(end - begin, 1.0), high - 3), bar)
            painter.setPen(text if chosen else quiet)
            label = f"▸{action}" if chosen else str(action)
            centred = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(_MARGIN, y, _LABEL, high - 2), int(centred), label)
            painter.setPen(text)
            where = QRectF(left + 3, y, wide - 6, high - 2)
            painter.drawText(where, int(Qt.AlignmentFlag.AlignRight | centred), number(score))
