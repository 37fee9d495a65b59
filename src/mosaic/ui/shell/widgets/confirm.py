"""A question in place: one line with two buttons, instead of a dialog that stops everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from mosaic.ui.shell.theme import TIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QKeyEvent

__all__ = ["Confirm"]


class Confirm(QWidget):
    """Hidden until asked; Esc or the second button means no. Only the last question counts."""

    def __init__(self) -> None:
        super().__init__()
        self._call: Callable[[], object] | None = None
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.yes, self.no = QPushButton(), QPushButton("Keep")
        self.yes.clicked.connect(self._confirm)
        self.no.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, TIGHT, 0, TIGHT)
        row.setSpacing(TIGHT)
        row.addWidget(self.label, 1)
        row.addWidget(self.yes)
        row.addWidget(self.no)
        self.hide()

    def ask(self, question: str, yes: str, call: Callable[[], object]) -> None:
        """Put a question; `call` is called when it is confirmed."""
        self._call = call
        self.label.setText(question)
        self.label.setToolTip(question)
        self.yes.setText(yes)
        self.yes.setAccessibleName(question)
        self.no.setAccessibleName(f"{question} No, keep it.")
        self.show()
        self.yes.setFocus(Qt.FocusReason.OtherFocusReason)

    def dismiss(self) -> None:
        """No."""
        self._call = None
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc is no."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def _confirm(self) -> None:
        call = self._call
        self.dismiss()
        if call is not None:
            call()
