"""One line of plain text that is cut with an ellipsis where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

__all__ = ["ElidedLabel"]


class ElidedLabel(QLabel):
    """All of the text is its accessible name, whatever is seen of it."""

    def __init__(self) -> None:
        super().__init__()
        self._all = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str) -> None:
        """Show this."""
        self._all = text
        self.setAccessibleName(text)
        self._cut()

    def resizeEvent(self, _: object) -> None:
        """There is more room, or less."""
        self._cut()

    def minimumSizeHint(self) -> QSize:
        """It can always be cut further."""
        return QSize(30, super().minimumSizeHint().height())

    def _cut(self) -> None:
        mode = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(self._all, mode, max(20, self.width())))
