"""Qt view of the toasts: one line at the foot of the window, with the action it offers, gone by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from mosaic.text import visible
from mosaic.ui.shell.theme import GAP, TIGHT, tone

if TYPE_CHECKING:
    from mosaic.ui.shell.model.toasts import Toast, Toasts

__all__ = ["ToastLine"]

_SIGNS = {"info": "", "good": "✓ ", "bad": "⚠ "}


class ToastLine(QWidget):
    """Qt view of Toasts: shows the newest, for as long as it asks. Under the mouse it stays."""

    def __init__(self, toasts: Toasts) -> None:
        super().__init__()
        self._toast: Toast | None = None
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.label.setAccessibleName("News")
        self.button = QPushButton()
        self.button.setAccessibleName("What can be done about the news")
        self.button.clicked.connect(self._act)
        self.button.hide()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GAP, TIGHT // 2, GAP, TIGHT // 2)
        self.setMinimumHeight(self.button.sizeHint().height() + TIGHT)  # the foot keeps its height
        layout.addWidget(self.label, 1)
        layout.addWidget(self.button)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._expire)
        toasts.shown.connect(self.show_toast)

    @property
    def toast(self) -> Toast | None:
        """What is shown now."""
        return self._toast

    def show_toast(self, toast: Toast) -> None:
        """Show this one instead of whatever is there."""
        self._toast = toast
        text = _SIGNS[toast.level] + visible(toast.text)
        self.label.setText(text)
        self.label.setToolTip("" if self.label.sizeHint().width() < self.label.width() else text)
        colour = tone(toast.level).name() if toast.level != "info" else ""
        self.label.setStyleSheet(f"color: {colour};" if colour else "")
        self.button.setText(toast.action)
        self.button.setVisible(bool(toast.action))
        self._timer.start(round(toast.secs * 1000))

    def dismiss(self) -> None:
        """Show nothing."""
        self._toast = None
        self._timer.stop()
        self.label.clear()
        self.button.hide()

    def _expire(self) -> None:
        if self.underMouse():
            self._timer.start(1000)
        else:
            self.dismiss()

    def _act(self) -> None:
        toast = self._toast
        self.dismiss()
        if toast is not None and toast.act is not None:
            toast.act()
