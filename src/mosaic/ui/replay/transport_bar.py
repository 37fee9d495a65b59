"""Qt view of a `Transport`: its buttons, speed, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QWidget

from mosaic.text import count
from mosaic.ui.replay.model import SPEEDS
from mosaic.ui.shell.theme import GAP, TIGHT
from mosaic.ui.shell.widgets.icons import Sign, icon

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QEvent

    from mosaic.ui.replay.model import Transport

__all__ = ["TransportBar"]


class TransportBar(QWidget):
    """One row of buttons. Clicking them leaves the keyboard where it is."""

    def __init__(self, transport: Transport) -> None:
        super().__init__()
        self._transport = transport
        self._signs: dict[QToolButton, Sign] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        row.setSpacing(TIGHT)
        self._row = row
        self.add("first", "First step (Home)", lambda: transport.seek(0))
        self.add("back", "One step back (Left)", lambda: transport.step(-1))
        self.play = self.add("play", "Play or pause (Space)", transport.toggle)
        self.add("forward", "One step on (Right)", lambda: transport.step(1))
        self.add("last", "Last step (End)", lambda: transport.seek(transport.last))
        self.speed = QComboBox()
        self.speed.setAccessibleName("Speed")
        self.speed.setToolTip("Speed (< and >, or a digit)")
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g}\N{MULTIPLICATION SIGN}", speed)
        self.speed.activated.connect(lambda line: transport.set_speed(SPEEDS[line]))
        row.addWidget(self.speed)
        self.loop = self.add("loop", "Begin again at the end", lambda: transport.set_loop(not transport.loop))
        self.loop.setCheckable(True)
        self.position = QLabel()
        self.position.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.position.setAccessibleName("Position")
        row.addSpacing(GAP)
        row.addWidget(self.position)
        row.addStretch(1)
        transport.changed.connect(self._show)
        self._show()

    def add(self, sign: Sign, name: str, call: Callable[[], object]) -> QToolButton:
        """One more button."""
        button = QToolButton()
        button.setIcon(icon(sign, self.palette()))
        button.setIconSize(QSize(16, 16))
        button.setToolTip(name)
        button.setAccessibleName(name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda _=False: call())
        self._signs[button] = sign
        self._row.addWidget(button)
        return button

    def add_widget(self, widget: QWidget) -> None:
        """Something else at the right end."""
        self._row.addWidget(widget)

    def changeEvent(self, event: QEvent) -> None:
        """Another theme, other colours."""
        if event.type() == event.Type.PaletteChange:
            for button, sign in self._signs.items():
                button.setIcon(icon(sign, self.palette()))
        super().changeEvent(event)

    def _show(self) -> None:
        transport = self._transport
        sign: Sign = "pause" if transport.playing else "play"
        if self._signs[self.play] != sign:
            self._signs[self.play] = sign
            self.play.setIcon(icon(sign, self.palette()))
        if transport.speed in SPEEDS:
            self.speed.setCurrentIndex(SPEEDS.index(transport.speed))
        self.loop.setChecked(transport.loop)
        back = " backwards" if transport.playing and transport.direction < 0 else ""
        self.position.setText(f"Step {count(transport.position)} of {count(transport.last)}{back}")
