"""Qt view of who goes on from the step on screen: typed, or picked. In place; nothing modal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from mosaic.protocol.sessions import EVERYBODY
from mosaic.text import count
from mosaic.ui.replay.beside_model import seats_of_text
from mosaic.ui.shell.theme import GAP, TIGHT
from mosaic.ui.shell.widgets.who_field import WhoField
from mosaic_worker.common.hands import PERSON

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from mosaic.ui.replay.replaying import Replaying
    from mosaic.ui.shell.context import Context

__all__ = ["GoOnBar"]

_HINT = (
    "Who goes on: random, python:FILE.py, RUN:best, … (mosaic operators ls). For several agents: "
    "player_1=WHO; player_2=WHO, or one WHO for everybody"
)


class GoOnBar(QWidget):
    """Lets an operator go on from the step on screen, as a new run.

    Args:
        context: whose runs are offered as trained policies.
        replaying: what is open.
    """

    def __init__(self, context: Context, replaying: Replaying) -> None:
        super().__init__()
        self._context, self._replaying = context, replaying
        self.step = QLabel()
        self.step.setAccessibleName("From which step")
        self.who = WhoField(context, env_id=self._env_id, name="Who goes on", tip=_HINT)
        self.who.entered.connect(self.start)
        self.go = QPushButton("Let it go on from here")
        self.go.setToolTip("Start a new run: the recorded steps up to here, then this operator")
        self.go.clicked.connect(self.start)
        self.take = QPushButton("Take over here")
        self.take.setToolTip("Start a new run: the recorded steps up to here, then you; others as named")
        self.take.clicked.connect(self.take_over)
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        row.setSpacing(TIGHT)
        row.addWidget(self.step)
        row.addWidget(self.who, 1)
        for button in (self.go, self.take):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        replaying.transport.changed.connect(self._tell)
        self._tell()

    def showEvent(self, event: QShowEvent) -> None:
        """It was opened to be typed into."""
        super().showEvent(event)
        self.who.setFocus()

    def start(self) -> None:
        """Let whoever is named go on."""
        seats = self._named()
        if seats is not None:
            self._replaying.branch(seats)

    def take_over(self) -> None:
        """Go on oneself: in the seat of the agent whose episode is open, others as they are named."""
        opened = self._replaying.opened
        agent = None if opened is None else opened.row.agent_id
        if agent is None:
            self._replaying.branch({EVERYBODY: PERSON})
            return
        seats = self._named()
        if seats is not None:
            self._replaying.branch({**seats, agent: PERSON})

    def _named(self) -> dict[str, str] | None:
        try:
            return seats_of_text(self.who.currentText())
        except ValueError as error:
            self._context.toasts.say(f"{error}.", level="bad")
            return None

    def _env_id(self) -> str:
        opened = self._replaying.opened
        return "" if opened is None else opened.env_id

    def _tell(self) -> None:
        opened = self._replaying.opened
        at = self._replaying.transport.position
        self.step.setText(f"From step {count(at if opened is None else min(at, opened.last))} on:")
