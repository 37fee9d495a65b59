"""Qt view of who goes on from the step on screen: typed, or picked. In place; nothing modal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QWidget

from mosaic.operators import registry
from mosaic.protocol.cards import COMMAND_RUNNER, SESSION_RUNNER
from mosaic.protocol.sessions import EVERYBODY
from mosaic.text import count
from mosaic.ui.replay.beside_model import seats_of_text
from mosaic.ui.shell.theme import GAP, TIGHT
from mosaic_worker.common.hands import PERSON

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from mosaic.ui.replay.replaying import Replaying
    from mosaic.ui.shell.context import Context

__all__ = ["GoOnBar"]

_MOST_RUNS = 12
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
        self.who = QComboBox()
        self.who.setEditable(True)
        self.who.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.who.setAccessibleName("Who goes on")
        self.who.setToolTip(_HINT)
        self.who.setMinimumContentsLength(18)
        edit = self.who.lineEdit()
        if edit is not None:
            edit.setPlaceholderText("random, python:FILE.py, RUN:best …")
            edit.returnPressed.connect(self.start)
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
        """Look up whom there is to pick from."""
        super().showEvent(event)
        self._context.ops.run(_known_forms, done=self._offer)
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

    def _offer(self, forms: list[str]) -> None:
        typed = self.who.currentText()
        self.who.clear()
        self.who.addItems([*forms, *(f"{name}:best" for name in self._trained()[:_MOST_RUNS])])
        self.who.setEditText(typed or "random")

    def _trained(self) -> list[str]:
        """Runs that a runner trained on the environment that is open, the newest first."""
        opened = self._replaying.opened
        return [
            row.name or row.run_id
            for row in self._context.runs.rows
            if row.runner not in (COMMAND_RUNNER, SESSION_RUNNER)
            and row.parent is None
            and opened is not None
            and opened.env_id in row.env_ids
        ]

    def _tell(self) -> None:
        opened = self._replaying.opened
        at = self._replaying.transport.position
        self.step.setText(f"From step {count(at if opened is None else min(at, opened.last))} on:")


def _known_forms() -> list[str]:
    """What people type for each operator there is, `random` first. Takes a moment."""
    forms = [one.operator.card.form for one in registry.listed() if one.operator is not None]
    return sorted((form for form in forms if "," not in form), key=lambda form: (form != "random", form))
