"""Qt view of named values in a few short columns, all selectable. Plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from mosaic.ui.shell.theme import GAP, TIGHT, tone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QEvent

__all__ = ["HudStrip"]


class HudStrip(QWidget):
    """Each value under its name.

    Args:
        names: what there is, in order, each with what it means.
        columns: how many stand beside each other.
    """

    def __init__(self, names: Sequence[tuple[str, str]], *, columns: int = 6) -> None:
        super().__init__()
        self._values: dict[str, QLabel] = {}
        self._captions: list[QLabel] = []
        grid = QGridLayout(self)
        grid.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(0)
        digits = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        for number, (name, meaning) in enumerate(names):
            caption, value = QLabel(name), QLabel("-")
            small = caption.font()
            small.setPointSizeF(max(7.0, small.pointSizeF() * 0.82))
            caption.setFont(small)
            value.setFont(digits)
            value.setTextFormat(Qt.TextFormat.PlainText)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setAccessibleName(name)
            value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            for label in (caption, value):
                label.setToolTip(meaning)
            row, column = divmod(number, columns)
            grid.addWidget(caption, row * 2, column)
            grid.addWidget(value, row * 2 + 1, column)
            self._values[name] = value
            self._captions.append(caption)
        for column in range(columns):
            grid.setColumnStretch(column, 1)
        self._tint()

    def show_values(self, values: Sequence[tuple[str, str]]) -> None:
        """New values, by name; names that were not announced are left out."""
        for name, text in values:
            label = self._values.get(name)
            if label is not None and label.text() != text:
                label.setText(text)

    def clear(self) -> None:
        """No values."""
        for label in self._values.values():
            label.setText("-")

    def value(self, name: str) -> str:
        """What stands under a name."""
        return self._values[name].text()

    def changeEvent(self, event: QEvent) -> None:
        """Another theme, other colours."""
        if event.type() == event.Type.PaletteChange:
            self._tint()
        super().changeEvent(event)

    def _tint(self) -> None:
        colour = tone("quiet").name()
        for caption in self._captions:
            if caption.styleSheet() != (sheet := f"color: {colour}"):
                caption.setStyleSheet(sheet)
