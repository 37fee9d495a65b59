"""Qt view of the modes: one button each, side by side, of which one is pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QPushButton, QWidget

from mosaic.ui.theme import GAP, TIGHT

if TYPE_CHECKING:
    from mosaic.ui.models.modes import Modes

__all__ = ["ModeSwitch"]


class ModeSwitch(QWidget):
    """Qt view of Modes."""

    def __init__(self, modes: Modes) -> None:
        super().__init__()
        self._modes = modes
        self.setAccessibleName("Mode")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(TIGHT)
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QPushButton] = {}
        modes.changed.connect(self._show_modes)
        self._show_modes()

    def _show_modes(self) -> None:
        if list(self.buttons) != [mode.id for mode in self._modes.all]:
            self._fill()
        self.buttons[self._modes.current.id].setChecked(True)

    def _fill(self) -> None:
        while (item := self._row.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self.buttons = {}
        label = QLabel("Mode")
        label.setContentsMargins(0, 0, GAP, 0)
        self._row.addWidget(label)
        for mode in self._modes.all:
            button = QPushButton(mode.title)
            button.setCheckable(True)
            button.setToolTip(mode.help)
            button.setAccessibleName(f"Mode {mode.title}: {mode.help}")
            button.clicked.connect(lambda _=False, mode_id=mode.id: self._modes.choose(mode_id))
            self._group.addButton(button)
            self._row.addWidget(button)
            self.buttons[mode.id] = button
        self._row.addStretch(1)
