"""A sheet over the window that takes nothing away: Esc or a click elsewhere, and it is gone. Never modal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QFrame, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

__all__ = ["Overlay"]


class Overlay(QFrame):
    """A frame in the upper middle of a window.

    Args:
        window: over which it lies.
        wide: how wide it wants to be; never wider than the window.
        high: the same, for its height.
    """

    def __init__(self, window: QWidget, *, wide: int, high: int) -> None:
        super().__init__(window)
        self._over = window
        self._wide, self._high = wide, high
        self._focus_before: QWidget | None = None
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        window.installEventFilter(self)
        self.hide()

    def open(self) -> None:
        """Show it, and remember where the focus was."""
        focus = QApplication.focusWidget()
        self._focus_before = focus if focus is not None and not self.isAncestorOf(focus) else None
        self._fit()
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Hide it; the focus goes back to where it was."""
        if self.isHidden():
            return
        self.hide()
        if self._focus_before is not None:
            self._focus_before.setFocus(Qt.FocusReason.PopupFocusReason)
            self._focus_before = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes it."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay where it is when the window changes size; a click on the window closes it."""
        if self.isVisible() and event.type() == QEvent.Type.Resize:
            self._fit()
        elif self.isVisible() and event.type() == QEvent.Type.MouseButtonPress:
            self.dismiss()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        room = self._over.size()
        wide, high = min(self._wide, room.width() - 40), min(self._high, room.height() - 80)
        self.setGeometry((room.width() - wide) // 2, 56, wide, high)
