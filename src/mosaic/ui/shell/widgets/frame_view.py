"""Qt view of one frame: fitted, pixel for pixel, or in whole multiples. Takes no buffer at its word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    import numpy.typing as npt
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QWheelEvent

__all__ = ["FrameView", "Zoom", "image_of", "pixels_of", "target_of"]

Zoom = Literal["fit", "actual", "whole"]

_MOST_SIDE = 16_384


def image_of(pixels: npt.NDArray[np.uint8]) -> QImage:
    """An image of these (height, width, 3) pixels, with memory of its own.

    Raises:
        ValueError: they have another shape or type; QImage itself would read beyond them.
    """
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
        raise ValueError(f"not a frame: {pixels.dtype} of shape {pixels.shape}")
    height, width = pixels.shape[:2]
    if not (0 < height <= _MOST_SIDE and 0 < width <= _MOST_SIDE):
        raise ValueError(f"not a frame: {width} x {height} pixels")
    whole = np.ascontiguousarray(pixels)
    data = whole.data.cast("B")
    if data.nbytes != height * width * 3:
        raise ValueError(f"a frame of {width} x {height} has {data.nbytes} bytes")
    return QImage(data, width, height, width * 3, QImage.Format.Format_RGB888).copy()


def pixels_of(image: QImage) -> npt.NDArray[np.uint8]:
    """An image as (height, width, 3) pixels, with memory of their own."""
    whole = image.convertToFormat(QImage.Format.Format_RGB888)
    lines: npt.NDArray[np.uint8] = np.frombuffer(whole.constBits(), np.uint8)
    lines = lines.reshape(whole.height(), whole.bytesPerLine())[:, : whole.width() * 3]
    pixels: npt.NDArray[np.uint8] = lines.reshape(whole.height(), whole.width(), 3).copy()
    return pixels


def target_of(image: QSize, room: QSizeF, *, zoom: Zoom, ratio: float, pan: QPointF) -> QRectF:
    """Where an image goes in a room of device-independent pixels, of which each is `ratio` real ones wide.

    What is larger than the room can be moved by `pan`, but not out of it.
    """
    fit = min(room.width() * ratio / image.width(), room.height() * ratio / image.height())
    if zoom == "fit":
        scale = fit
    elif zoom == "actual":
        scale = 1.0
    else:
        scale = max(1.0, float(int(fit)))
    width, height = image.width() * scale / ratio, image.height() * scale / ratio
    slack_x, slack_y = max(0.0, (width - room.width()) / 2), max(0.0, (height - room.height()) / 2)
    left = (room.width() - width) / 2 + min(max(pan.x(), -slack_x), slack_x)
    top = (room.height() - height) / 2 + min(max(pan.y(), -slack_y), slack_y)
    # On whole real pixels, or sharp frames blur.
    return QRectF(round(left * ratio) / ratio, round(top * ratio) / ratio, width, height)


class FrameView(QWidget):
    """Shows the newest frame it was given.

    `smooth` None decides by itself: sharp pixels when a frame is enlarged twice or more, else smooth.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.zoom: Zoom = "fit"
        self.smooth: bool | None = None
        self.dimmed = False
        self._image: QImage | None = None
        self._pan = QPointF()
        self._grip: QPointF | None = None

    @property
    def image(self) -> QImage | None:
        """What is shown."""
        return self._image

    def show_pixels(self, pixels: npt.NDArray[np.uint8]) -> None:
        """Show this frame of (height, width, 3) bytes."""
        self._image = image_of(pixels)
        self.update()

    def clear(self) -> None:
        """Show nothing."""
        self._image = None
        self.update()

    def set_zoom(self, zoom: Zoom) -> None:
        """How large."""
        self.zoom, self._pan = zoom, QPointF()
        self.update()

    def set_smooth(self, smooth: bool | None) -> None:
        """How a frame is scaled."""
        self.smooth = smooth
        self.update()

    def set_dimmed(self, dimmed: bool) -> None:
        """Whether the frame is of the past."""
        if dimmed != self.dimmed:
            self.dimmed = dimmed
            self.update()

    def sizeHint(self) -> QSize:
        """A usual frame."""
        return QSize(480, 320)

    def minimumSizeHint(self) -> QSize:
        """Small enough for any window."""
        return QSize(120, 80)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame on a quiet ground."""
        painter = QPainter(self)
        ground = self.palette().color(QPalette.ColorRole.Window)
        painter.fillRect(self.rect(), ground.darker(108) if ground.lightness() > 127 else ground.darker(130))
        image = self._image
        if image is not None:
            ratio = self.devicePixelRatioF()
            target = target_of(image.size(), QSizeF(self.size()), zoom=self.zoom, ratio=ratio, pan=self._pan)
            smooth = self.smooth
            if smooth is None:
                smooth = target.width() * ratio < 2 * image.width()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
            painter.drawImage(target, image)
            if self.dimmed:
                painter.fillRect(target, QColor(ground.red(), ground.green(), ground.blue(), 120))
        if self.hasFocus():
            painter.setPen(self.palette().color(QPalette.ColorRole.Highlight))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a frame that is larger than its room."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._grip = event.position() - self._pan

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move it."""
        if self._grip is not None and self._image is not None:
            self._pan = event.position() - self._grip
            self.update()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Let go."""
        self._grip = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Move it up and down."""
        if self.zoom == "fit":
            event.ignore()
            return
        self._pan += QPointF(event.angleDelta()) / 4
        self.update()
