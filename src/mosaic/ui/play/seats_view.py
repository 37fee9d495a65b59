"""Qt view of a `Playing`'s seats: who sits where, who decides now, how far each has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QToolButton, QWidget

from mosaic.text import visible
from mosaic.ui.shell.theme import GAP
from mosaic.ui.shell.widgets.bits import Note
from mosaic.ui.shell.widgets.controls import tool
from mosaic.ui.shell.widgets.elided import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.ui.play.model.playing import SeatLine

__all__ = ["SeatsView"]

_HEADS = ("Seat", "Operator", "Decides", "Step", "Return", "")
_STRETCH = (2, 2, 2, 1, 1, 4)  # the last says what is being loaded, and why it failed
_MOST = 12  # lines; of more seats the first are shown, and how many there are


class SeatsView(QWidget):
    """A line per seat; made anew only when the seats are other ones, as they may move many times a second."""

    toggled = Signal(str, bool)
    """Take (True) or give back this actor's seat."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Seats")
        self._actors: list[str] = []
        self._cells: list[list[ElidedLabel]] = []
        self.buttons: list[QToolButton] = []
        self.more = Note()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(1)
        for column, head in enumerate(_HEADS):
            self._grid.addWidget(Note(head), 0, column)
            self._grid.setColumnStretch(column, _STRETCH[column])
            self._grid.setColumnMinimumWidth(column, self.fontMetrics().horizontalAdvance(head))
        self._grid.addWidget(self.more, _MOST + 1, 0, 1, len(_HEADS) + 1)

    def show_seats(self, seats: Sequence[SeatLine]) -> None:
        """Show these."""
        shown = seats[:_MOST]
        if [seat.actor for seat in shown] != self._actors:
            self._make([seat.actor for seat in shown])
        for seat, cells, button in zip(shown, self._cells, self.buttons, strict=True):
            texts = (seat.actor, seat.operator, seat.by, seat.step, seat.returned, seat.state)
            for cell, text in zip(cells, texts, strict=True):
                if cell.accessibleName() != visible(text):
                    cell.show_text(visible(text))
            said = "Give back" if seat.mine else "Take over"
            if button.text() != said:
                button.setText(said)
                button.setAccessibleName(f"{said} {seat.actor}")
            button.setProperty("mine", seat.mine)
            button.setVisible(len(seats) > 1)
        self.more.say("" if len(seats) <= _MOST else f"and {len(seats) - _MOST} more seats")

    def texts(self, at: int) -> list[str]:
        """What a line says."""
        return [cell.accessibleName() for cell in self._cells[at]]

    def _make(self, actors: list[str]) -> None:
        for old in [*(cell for cells in self._cells for cell in cells), *self.buttons]:
            old.hide()
            old.deleteLater()
        self._actors, self._cells, self.buttons = actors, [], []
        for line, actor in enumerate(actors, start=1):
            cells = [ElidedLabel() for _ in _HEADS]
            for column, cell in enumerate(cells):
                cell.setToolTip(f"{_HEADS[column] or 'State'} of {visible(actor)}")
                self._grid.addWidget(cell, line, column)
            button = tool("Take over", tip=f"Take {visible(actor)} over, or give it back")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(
                lambda _=False, actor=actor, button=button: self.toggled.emit(
                    actor, not button.property("mine")
                )
            )
            self._grid.addWidget(button, line, len(_HEADS))
            self._cells.append(cells)
            self.buttons.append(button)
