"""Qt view of a `Setup`'s seats: for each an operator, made from the cards, and what is typed for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from mosaic.protocol.sessions import EVERYBODY
from mosaic.text import visible
from mosaic.ui.shell.theme import TIGHT
from mosaic.ui.shell.widgets.bits import Choice, Heading, Note
from mosaic.ui.shell.widgets.controls import tool
from mosaic_worker.common.hands import PERSON

if TYPE_CHECKING:
    from mosaic.ui.play.model.setup import SeatChoice, Setup

__all__ = ["SeatsEditor"]


class SeatsEditor(QWidget):
    """Qt view of the seats of a Setup. Made anew when other seats or operators are to be shown."""

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.setAccessibleName("Who plays")
        self._setup = setup
        self._heading = Heading("")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(TIGHT)
        self._grid.setVerticalSpacing(TIGHT)
        self._grid.setColumnStretch(1, 1)
        self.choices: list[Choice] = []
        self.arguments: list[QLineEdit] = []
        self.actors: list[QLineEdit | None] = []
        self._made: list[QWidget] = []
        self.add = QPushButton("Add a seat")
        self.add.setToolTip("An operator of its own for one agent")
        self.add.clicked.connect(setup.add)
        foot = QHBoxLayout()
        foot.addWidget(self.add)
        foot.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(TIGHT)
        column.addWidget(self._heading)
        column.addLayout(self._grid)
        column.addLayout(foot)
        setup.arranged.connect(self._fill)
        setup.changed.connect(self._show_which)
        self._fill()

    def _show_which(self) -> None:
        """Seats of single agents are for environments that have several."""
        setup = self._setup
        self.setVisible(setup.others)
        several = setup.is_zoo and setup.who == "hybrid"
        self.add.setVisible(several)
        self._heading.setText("Against" if setup.who == "human" else "Who plays")
        if len(setup.seats) > 1 and any(widget.isHidden() is several for widget in self._later()):
            for widget in self._later():
                widget.setVisible(several)

    def _later(self) -> list[QWidget]:
        return [widget for widget in self._made if widget.property("seat")]

    def _fill(self) -> None:
        for old in self._made:
            old.hide()
            old.deleteLater()
        self._made, self.choices, self.arguments, self.actors = [], [], [], []
        for at, seat in enumerate(self._setup.seats):
            self._add_row(at, seat)
        self._show_which()

    def _add_row(self, at: int, seat: SeatChoice) -> None:
        setup, line = self._setup, at * 3
        offered = [one for one in setup.operators if setup.who == "hybrid" or one.id != PERSON]
        choice = Choice([visible(one.title) for one in offered])
        ids = [one.id for one in offered]
        choice.setCurrentIndex(ids.index(seat.operator) if seat.operator in ids else -1)
        who = "everybody" if seat.actor == EVERYBODY else seat.actor
        choice.setAccessibleName(f"Operator of {visible(who)}")
        choice.activated.connect(lambda n: setup.put(at, operator=ids[n]))
        entry = setup.entry(seat.operator)
        argument = QLineEdit(seat.argument)
        argument.setPlaceholderText(entry.asks_for if entry is not None else "")
        argument.setAccessibleName(f"{entry.asks_for if entry is not None else ''} of {visible(who)}")
        argument.textEdited.connect(lambda text: setup.put(at, argument=text))
        argument.setVisible(False)
        self._grid.addWidget(choice, line, 1)
        self._grid.addWidget(argument, line + 1, 1)
        argument.setVisible(entry is not None and bool(entry.asks_for))
        note = Note(entry.problem if entry is not None and entry.problem else _help(setup, seat),
                    meaning="bad" if entry is not None and entry.problem else "quiet")  # fmt: skip
        self._grid.addWidget(note, line + 2, 0, 1, 3)
        row: list[QWidget] = [choice, argument, note]
        actor: QLineEdit | None = None
        if at == 0:
            label = QLabel("Everybody" if setup.is_zoo and setup.who == "hybrid" else "Operator")
            self._grid.addWidget(label, line, 0)
            row.append(label)
        else:
            actor = QLineEdit(seat.actor)
            actor.setAccessibleName(f"Agent of seat {at}")
            actor.textEdited.connect(lambda text: setup.put(at, actor=text))
            gone = tool("✕", tip=f"Take the seat of {visible(seat.actor)} away", flat=True,
                        act=partial(setup.remove, at))  # fmt: skip
            self._grid.addWidget(actor, line, 0)
            self._grid.addWidget(gone, line, 2)
            row += [actor, gone]
            for widget in row:
                widget.setProperty("seat", widget is not argument or bool(entry and entry.asks_for))
        self._made += row
        self.choices.append(choice)
        self.arguments.append(argument)
        self.actors.append(actor)


def _help(setup: Setup, seat: SeatChoice) -> str:
    entry = setup.entry(seat.operator)
    return entry.card.help if entry is not None and entry.card is not None else ""
