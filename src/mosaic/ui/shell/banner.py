"""Qt view of the link to the daemon: a line above everything while it does not answer, else nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel

from mosaic.ui.shell.model.link import LinkState
from mosaic.ui.shell.theme import GAP, INSET, tone

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from mosaic.ui.shell.model.link import Link

__all__ = ["Banner"]


class Banner(QFrame):
    """Qt view of a Link."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self.setAutoFillBackground(True)
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setAccessibleName("State of the connection to the daemon")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(INSET, GAP, INSET, GAP)
        layout.addWidget(self.label)
        self._painting = False
        link.changed.connect(self._show_link)
        self._show_link()

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed: take its colours."""
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange and not self._painting:
            self._show_link()

    def _show_link(self) -> None:
        self.setVisible(not self._link.connected)
        self.label.setText(self._link.text)
        palette = self.window().palette() if self.parent() else self.palette()
        mood = tone("warn" if self._link.state is LinkState.LOST else "busy")
        ground = palette.color(QPalette.ColorRole.Base)
        mixed = tuple((mood.getRgb()[i] * 15 + ground.getRgb()[i] * 85) // 100 for i in range(3))  # type: ignore[index]
        self._painting = True
        self.setStyleSheet(
            f"Banner {{ background: rgb{mixed}; border-bottom: 1px solid {mood.name()}; }}"
            f" Banner QLabel {{ color: {palette.color(QPalette.ColorRole.WindowText).name()}; }}"
        )
        self._painting = False
