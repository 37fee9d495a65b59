"""The few signs of a player, drawn in the palette's colour so that they can be seen on any ground."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QApplication

__all__ = ["Sign", "icon"]

Sign = Literal["play", "pause", "forward", "back", "first", "last", "next", "previous", "loop", "full"]

_SIDE = 64.0


def icon(sign: Sign, palette: QPalette | None = None) -> QIcon:
    """A sign, in the colour of text on buttons, and dimmer when it cannot be used."""
    palette = palette or QApplication.palette()
    found = QIcon()
    for mode, group in (
        (QIcon.Mode.Normal, QPalette.ColorGroup.Active),
        (QIcon.Mode.Disabled, QPalette.ColorGroup.Disabled),
    ):
        pixmap = QPixmap(int(_SIDE), int(_SIDE))
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _draw(painter, sign, palette.color(group, QPalette.ColorRole.ButtonText))
        painter.end()
        found.addPixmap(pixmap, mode)
    return found


def _draw(painter: QPainter, sign: Sign, colour: QColor) -> None:
    path = QPainterPath()
    if sign == "play":
        _triangle(path, 16, 54, 10)
    elif sign == "pause":
        path.addRect(QRectF(14, 12, 13, 40))
        path.addRect(QRectF(37, 12, 13, 40))
    elif sign in ("forward", "back"):
        _triangle(path, 28, 54, 16)
        path.addRect(QRectF(12, 16, 8, 32))
    elif sign in ("first", "last"):
        _triangle(path, 8, 28, 16)
        _triangle(path, 28, 48, 16)
        path.addRect(QRectF(48, 16, 8, 32))
    elif sign in ("next", "previous"):
        _triangle(path, 16, 44, 14)
        path.addRect(QRectF(44, 14, 8, 36))
    if sign in ("back", "first", "previous"):
        painter.translate(_SIDE, 0)
        painter.scale(-1, 1)
    if not path.isEmpty():
        painter.fillPath(path, colour)
        return
    pen = QPen(colour, 6)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    if sign == "loop":
        painter.drawArc(QRectF(14, 14, 36, 36), 60 * 16, 300 * 16)
        head = QPainterPath()
        head.moveTo(QPointF(36, 2))
        head.lineTo(QPointF(56, 12))
        head.lineTo(QPointF(38, 26))
        painter.fillPath(head, colour)
    else:
        for left, top, across, down in ((12, 12, 1, 1), (52, 12, -1, 1), (12, 52, 1, -1), (52, 52, -1, -1)):
            painter.drawLine(left, top, left + 14 * across, top)
            painter.drawLine(left, top, left, top + 14 * down)


def _triangle(path: QPainterPath, left: float, right: float, top: float) -> None:
    path.moveTo(left, top)
    path.lineTo(right, _SIDE / 2)
    path.lineTo(left, _SIDE - top)
    path.closeSubpath()
