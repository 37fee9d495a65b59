"""The parts of a chart that pyqtgraph lets us shape: its axes, and what the mouse does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import Qt

from mosaic.ui.shell.model.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Axis", "View"]


class Axis(pg.AxisItem):  # type: ignore[misc]
    """Short numbers, in the theme's colours."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """The numbers beside the ticks."""
        if self.logMode:
            return [short(10.0**value) if value == round(value) else "" for value in values]
        return [short(value * scale, step=spacing * scale) for value in values]


class View(pg.ViewBox):  # type: ignore[misc]
    """Wheel zooms along x, dragging draws a box, dragging with Shift or the middle button pans."""

    def __init__(self, *, follow: Callable[[], None], moved: Callable[..., None]) -> None:
        super().__init__(enableMenu=False)
        self._follow, self._moved = follow, moved
        self.setMouseMode(self.RectMode)
        self.disableAutoRange()

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        """Zoom along x, or along the axis under the pointer."""
        self._moved(keep_y=axis != 1)
        super().wheelEvent(event, axis=0 if axis is None else axis)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        """A box to zoom into, or another part of the curve."""
        panning = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        self.setMouseMode(self.PanMode if panning else self.RectMode)
        self._moved(keep_y=False)
        super().mouseDragEvent(event, axis=axis)

    def mouseDoubleClickEvent(self, event: Any) -> None:
        """Show everything."""
        event.accept()
        self._follow()
