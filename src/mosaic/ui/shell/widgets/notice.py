"""Qt view of why there is nothing to see: a title, a sentence, and what can be done about it. Plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Notice"]


class Notice(QWidget):
    """Centred; asks nothing of the user but may offer a few buttons."""

    def __init__(self) -> None:
        super().__init__()
        self._title, self._text = _label(), _label()
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() * 1.3)
        font.setBold(True)
        self._title.setFont(font)
        self._progress = QProgressBar()
        self._progress.setMaximumWidth(320)
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName("Progress")
        self._buttons = QHBoxLayout()
        self._offered: list[QPushButton] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 16, 24, 16)
        column.setSpacing(8)
        column.addStretch(1)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addWidget(self._progress, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addLayout(self._buttons)
        column.addStretch(1)

    @property
    def text(self) -> str:
        """All it says."""
        return f"{self._title.text()}\n{self._text.text()}"

    @property
    def buttons(self) -> list[QPushButton]:
        """What it offers."""
        return self._offered

    def say(
        self,
        title: str,
        text: str,
        *,
        offers: tuple[tuple[str, Callable[[], object]], ...] = (),
        progress: tuple[int, int] | None = None,
    ) -> None:
        """Say this; `progress` is how much of how much is done, of 0 when nobody knows."""
        self._title.setText(title)
        self._text.setText(text)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        self._progress.setVisible(progress is not None)
        if progress is not None:
            self._progress.setRange(0, progress[1])
            self._progress.setValue(progress[0])
        if [button.text() for button in self.buttons] != [name for name, _ in offers]:
            self._offer(offers)

    def _offer(self, offers: tuple[tuple[str, Callable[[], object]], ...]) -> None:
        while (item := self._buttons.takeAt(0)) is not None:
            gone = item.widget()
            if gone is not None:
                gone.hide()
                gone.deleteLater()
        self._offered = []
        if not offers:
            return
        self._buttons.addStretch(1)
        for name, call in offers:
            button = QPushButton(name)
            button.clicked.connect(lambda _=False, call=call: call())
            self._buttons.addWidget(button)
            self._offered.append(button)
        self._buttons.addStretch(1)


def _label() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    return label
