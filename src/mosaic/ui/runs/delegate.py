"""How a line of the run list is drawn, and a name or tags edited in place. Draws plain text only."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip, QWidget

from mosaic.ui.runs.model.table import Header, facts, spoken
from mosaic.ui.shell.model.words import subtitle, title
from mosaic.ui.shell.theme import GAP, TIGHT, tone, tone_of_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex
    from PySide6.QtGui import QHelpEvent
    from PySide6.QtWidgets import QAbstractItemView

    from mosaic.protocol.runs import RunRow
    from mosaic.ui.runs.qt_model import RunModel
    from mosaic.ui.runs.sparklines import Sparklines
    from mosaic.ui.shell.model.colours import Colours

    Index = QModelIndex | QPersistentModelIndex

__all__ = ["RunDelegate"]

_SPARK_WIDTH = 96
_BAR = 4


class RunDelegate(QStyledItemDelegate):
    """Draws runs as three lines and headers as one.

    Args:
        model: whose lines are drawn.
        colours: of the runs.
        sparks: their curves.
        edited: told (run id, "name" or "tags", text) when an edit is meant.
    """

    def __init__(
        self,
        model: RunModel,
        colours: Colours,
        sparks: Sparklines,
        *,
        edited: Callable[[str, str, str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._model, self._colours, self._sparks, self._edited = model, colours, sparks, edited
        self._sizes: tuple[QFont, QSize, QSize] | None = None
        self.editing = "name"
        """What the next editor is for: "name" or "tags"."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Three lines for a run, one for a header. Asked for every line at once: reckoned once per font."""
        if self._sizes is None or self._sizes[0] != option.font:
            line = QFontMetrics(option.font).height()
            self._sizes = (
                QFont(option.font),
                QSize(200, 3 * line + 2 * TIGHT + 2 * GAP),
                QSize(120, line + 2 * GAP),
            )
        _, run, header = self._sizes
        return header if isinstance(self._model.entry(index), Header) else run

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one line."""
        entry, row = self._model.entry(index), self._model.row_of(index)
        painter.save()
        painter.setClipRect(option.rect)
        if isinstance(entry, Header):
            _paint_header(painter, option, entry)
        elif row is not None:
            self._paint_run(painter, option, row)
        painter.restore()

    def _paint_run(self, painter: QPainter, option: QStyleOptionViewItem, row: RunRow) -> None:
        rect, palette = option.rect, option.palette
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        accent = palette.color(QPalette.ColorRole.Highlight)
        if chosen:
            ground = QColor(accent)
            ground.setAlpha(56 if option.state & QStyle.StateFlag.State_Active else 36)
            painter.fillRect(rect, ground)
        painter.fillRect(
            QRect(rect.left(), rect.top() + 1, _BAR, rect.height() - 2), QColor(self._colours.of(row.run_id))
        )
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(accent, 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        text, dim = palette.color(QPalette.ColorRole.Text), palette.color(QPalette.ColorRole.PlaceholderText)
        area = rect.adjusted(_BAR + GAP, GAP, -GAP, -GAP)
        font = option.font
        line = QFontMetrics(font).height()
        first = QRect(area.left(), area.top(), area.width(), line)
        second = first.translated(0, line + TIGHT)
        third = second.translated(0, line + TIGHT)
        badge = _paint_badge(painter, first, font, row, palette)
        bold = QFont(font)
        bold.setBold(True)
        _write(painter, first.adjusted(0, 0, -badge - GAP, 0), title(row), bold, text)
        points = self._sparks.look(row.run_id)
        spark = QRect(second.right() - _SPARK_WIDTH, second.top(), _SPARK_WIDTH, line + TIGHT)
        if points:
            second = second.adjusted(0, 0, -_SPARK_WIDTH - GAP, 0)
            _paint_spark(painter, QRectF(spark), points, QColor(self._colours.of(row.run_id)))
        _write(painter, second, subtitle(row), font, text if chosen else dim)
        _write(painter, third, facts(row, time.time()), font, text if chosen else dim)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
        painter.drawLine(rect.left() + _BAR + GAP, rect.bottom(), rect.right(), rect.bottom())

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """The tooltip: everything in words, as plain text even when it looks like markup."""
        row = self._model.row_of(index)
        if row is None or event.type() != QEvent.Type.ToolTip:
            return False
        QToolTip.showText(event.globalPos(), plain_tip(spoken(row, time.time())), view)
        return True

    # Editing in place.

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A line for the name, or for the tags."""
        editor = QLineEdit(parent)
        editor.setMaxLength(200 if self.editing == "name" else 2000)
        editor.setAccessibleName("New name of the run" if self.editing == "name" else "Tags of the run")
        editor.setPlaceholderText("Name" if self.editing == "name" else "key=value key=value")
        editor.setAutoFillBackground(True)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Start from what there is."""
        row = self._model.row_of(index)
        if row is not None:
            tags = " ".join(f"{key}={value}" for key, value in sorted(row.tags.items()))
            cast("QLineEdit", editor).setText(row.name if self.editing == "name" else tags)
            cast("QLineEdit", editor).selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Hand over what was written."""
        row = self._model.row_of(index)
        if row is not None:
            self._edited(row.run_id, self.editing, cast("QLineEdit", editor).text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """Over the first line: nothing moves."""
        rect = option.rect
        editor.setGeometry(
            rect.left() + _BAR + TIGHT,
            rect.top() + 2,
            rect.width() - _BAR - 2 * TIGHT,
            editor.sizeHint().height(),
        )


def plain_tip(text: str) -> str:
    """A tooltip that shows text as it is: Qt would take some plain text for markup."""
    import html

    return f"<div style='white-space: pre-wrap'>{html.escape(text)}</div>"


def _write(painter: QPainter, rect: QRect, text: str, font: QFont, colour: QColor) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


def _paint_header(painter: QPainter, option: QStyleOptionViewItem, header: Header) -> None:
    rect, palette = option.rect, option.palette
    painter.fillRect(rect, palette.color(QPalette.ColorRole.AlternateBase))
    font = QFont(option.font)
    font.setBold(True)
    mark = "▸" if header.folded else "▾"
    dim = palette.color(QPalette.ColorRole.PlaceholderText)
    _write(painter, rect.adjusted(GAP, 0, -GAP, 0), f"{mark}  {header.title}  ({header.count})", font, dim)


def _paint_badge(painter: QPainter, line: QRect, font: QFont, row: RunRow, palette: QPalette) -> int:
    """The state in a coloured pill at the right end; how wide it is."""
    word = row.state.value
    small = QFont(font)
    small.setPointSizeF(max(7.0, font.pointSizeF() * 0.9))
    width = QFontMetrics(small).horizontalAdvance(word) + 2 * GAP
    pill = QRectF(line.right() - width, line.top(), width, line.height())
    colour = tone(tone_of_state(row.state), palette)
    ground = QColor(colour)
    ground.setAlpha(34)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
    painter.setFont(small)
    painter.setPen(colour)
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, word)
    return width


def _paint_spark(painter: QPainter, area: QRectF, points: Sequence[float], colour: QColor) -> None:
    """The curve; what is not a number is a gap."""
    finite = [value for value in points if math.isfinite(value)]
    if len(finite) < 2:
        return
    low, high = min(finite), max(finite)
    height = (high - low) or 1.0
    step = area.width() / max(1, len(points) - 1)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.4))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    piece = QPolygonF()
    for at, value in enumerate([*points, math.nan]):
        if math.isfinite(value):
            share = 0.5 if high == low else (value - low) / height
            piece.append(QPointF(area.left() + at * step, area.bottom() - 1 - share * (area.height() - 2)))
        elif piece.size():
            painter.drawPolyline(piece)
            piece = QPolygonF()
