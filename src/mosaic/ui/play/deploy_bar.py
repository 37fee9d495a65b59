"""Qt view of who shall decide in a seat from now on: typed, or picked. In place; nothing modal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from mosaic.app.playing import seat_for
from mosaic.text import visible
from mosaic.ui.shell.theme import TIGHT
from mosaic.ui.shell.widgets.bits import Note
from mosaic.ui.shell.widgets.controls import choice
from mosaic.ui.shell.widgets.who_field import WhoField

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from mosaic.ui.play.model.playing import Playing
    from mosaic.ui.shell.context import Context

__all__ = ["DeployBar"]

_HINT = "Who shall decide: random, python:FILE.py, RUN:best, RUN@STEP, … (mosaic operators ls)"


class DeployBar(QWidget):
    """Puts another operator into a seat of the session in focus.

    It is looked up and checked off the window's thread; then the session makes it ready beside the one that
    plays, and the seats say how that went.

    Args:
        context: whose `ops` look it up, and whose runs are offered.
        playing: the session.
    """

    sent = Signal()
    """The session was asked; what comes of it is said with its seats."""

    def __init__(self, context: Context, playing: Playing) -> None:
        super().__init__()
        self.setAccessibleName("Another operator for a seat")
        self._context, self._playing = context, playing
        self._actors: list[str] = []
        self.seat = choice({}, tip="Whose seat", name="Seat")
        self.who = WhoField(
            context,
            env_id=lambda: "" if playing.offer is None else playing.offer.env_id,
            name="Who shall decide",
            tip=_HINT,
        )
        self.who.entered.connect(self.start)
        self.go = QPushButton("Deploy")
        self.go.setToolTip("Make it ready beside the one that plays; it decides from the next step on")
        self.go.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.go.clicked.connect(self.start)
        self.under_way = Note()
        row = QHBoxLayout()
        row.setSpacing(TIGHT)
        row.addWidget(QLabel("From now on:"))
        row.addWidget(self.seat)
        row.addWidget(self.who, 1)
        row.addWidget(self.go)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(TIGHT)
        column.addLayout(row)
        column.addWidget(self.under_way)
        self.hide()

    def showEvent(self, event: QShowEvent) -> None:
        """It was opened to be typed into."""
        super().showEvent(event)
        self.who.setFocus()

    def refresh(self) -> None:
        """Show the seats there are."""
        now = self._playing.now
        actors = [] if now is None else [seat.actor for seat in now.seats]
        if actors == self._actors:
            return
        self._actors = actors
        self.seat.clear()
        for actor in actors:
            self.seat.addItem(visible(actor), actor)
        self.seat.setVisible(len(actors) > 1)

    def start(self) -> None:
        """Have whoever is named put into the chosen seat."""
        playing, root, offer = self._playing, self._context.root, self._playing.offer
        text = self.who.currentText().strip()
        if offer is None or not self.go.isEnabled():
            return
        if not text:
            playing.missed("Who shall decide? Type an operator or a run: random, python:FILE.py, RUN:best.")
            return
        actor = self.seat.currentData() if len(self._actors) > 1 else None
        told: list[str] = []
        self._wait_for(text)

        def done(seat: dict[str, Any]) -> None:
            self._wait_for("")
            for line in told:
                self._context.toasts.say(line)
            if playing.offer is offer:  # or another session is in focus by now
                playing.deploy(seat, actor=actor)
                self.sent.emit()

        def failed(why: str) -> None:
            self._wait_for("")
            if playing.offer is offer:
                playing.missed(why)

        self._context.ops.run(
            lambda: seat_for(root, text, {}, env_id=offer.env_id, say=told.append), done=done, failed=failed
        )

    def _wait_for(self, text: str) -> None:
        self.go.setEnabled(not text)
        self.under_way.say(f"{visible(text)} is being looked up…" if text else "")
