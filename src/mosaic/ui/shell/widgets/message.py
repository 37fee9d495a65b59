"""A page that says why there is nothing to see, and what to do about it. Plain text, selectable."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mosaic.ui.shell.widgets.controls import plain

__all__ = ["Message"]


class Message(QWidget):
    """Qt view of one or two sentences, in the middle of what is empty."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.label = plain(text, wrap=True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.addWidget(self.label)

    def say(self, text: str) -> None:
        """Say something else."""
        if self.label.text() != text:
            self.label.setText(text)
