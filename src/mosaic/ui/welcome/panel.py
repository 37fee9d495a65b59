"""Qt view of the first steps: what somebody without a run can do, in three clicks, and where data lives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mosaic.protocol.cards import COMMAND_RUNNER
from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.theme import GAP, INSET, TIGHT
from mosaic.ui.shell.widgets.bits import Note
from mosaic.ui.welcome.model import FIRST_STEPS, FirstStep, standing_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QShowEvent

    from mosaic.ui.launch.model.catalog import Catalog
    from mosaic.ui.shell.context import Context

__all__ = ["WelcomePanel"]

_NARROW, _WIDTH = 400, 520


class WelcomePanel(QWidget):
    """Qt view of the first steps. Shown while there is no run, and when it was `asked` for.

    Args:
        context: shared by all parts of the window.
        catalog: the runners there are, and how each stands.
        look: has the catalog brought up to date.
    """

    changed = Signal()
    """Whether it was asked for changed."""

    def __init__(self, context: Context, catalog: Catalog, *, look: Callable[[], object]) -> None:
        super().__init__()
        self._context = context
        self.asked = False
        self._catalog, self._look = catalog, look
        self._notes: dict[str, Note] = {}
        self.buttons: dict[str, QPushButton] = {}
        body = QWidget()
        body.setMinimumWidth(_NARROW)
        body.setMaximumWidth(_WIDTH)
        column = QVBoxLayout(body)
        column.setContentsMargins(INSET, INSET, INSET, INSET)
        column.setSpacing(GAP)
        self.title = _title("")
        self.leave = QPushButton("Close the first steps")
        self.leave.setFlat(True)
        self.leave.clicked.connect(lambda: self.ask(wanted=False))
        column.addWidget(self.title)
        column.addWidget(
            Note("Choose a first step. Its form opens on the left, filled in; you press the button.")
        )
        for step in FIRST_STEPS:
            column.addWidget(self._offer(step))
        column.addWidget(Note(f"Everything you run is kept in {context.root.path}"))
        column.addWidget(Note("Ctrl+K finds every command; ? shows the keys."))
        column.addWidget(self.leave, 0, Qt.AlignmentFlag.AlignLeft)
        centred = QWidget()
        around = QVBoxLayout(centred)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(body, 100)
        row.addStretch(1)
        around.addStretch(1)
        around.addLayout(row)
        around.addStretch(2)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        centred.setSizePolicy(
            QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored
        )  # as high as its width asks
        area.setWidget(centred)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        self._catalog.changed.connect(self._show)
        for heard in (context.asks.watch, context.asks.replay):
            heard.connect(lambda *_: self.ask(wanted=False))
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: see how the runners stand now."""
        super().showEvent(event)
        self._look()

    def commands(self) -> list[Action]:
        """What can be done from anywhere."""
        return [Action(id="help.welcome", title="First steps", call=self.ask)]

    def ask(self, *, wanted: bool = True) -> None:
        """Show the first steps although there are runs, or no more."""
        self.asked = wanted
        self._show()
        self.changed.emit()

    def _offer(self, step: FirstStep) -> QFrame:
        card = QFrame()
        card.setFrameShape(QFrame.Shape.StyledPanel)
        column = QVBoxLayout(card)
        column.setContentsMargins(INSET, INSET, INSET, INSET)
        column.setSpacing(TIGHT)
        button = QPushButton(step.title)
        button.setMinimumHeight(34)
        button.setMinimumWidth(320)
        button.setAccessibleName(step.title)
        button.setAccessibleDescription(step.text)
        button.clicked.connect(lambda: self._take(step))
        note = Note(meaning="warn")
        column.addWidget(button)
        column.addWidget(Note(step.text))
        column.addWidget(note)
        self.buttons[step.id] = button
        self._notes[step.id] = note
        return card

    def _take(self, step: FirstStep) -> None:
        self.ask(wanted=False)
        if step.runner == COMMAND_RUNNER:
            self._context.asks.run_script.emit()
        else:
            self._context.asks.launch.emit(step.runner, step.algorithm, step.env_id)

    def _show(self) -> None:
        self.title.setText("First steps" if self.asked else "Nothing has run here yet")
        self.leave.setVisible(self.asked)
        for step in FIRST_STEPS:
            can, said = standing_of(step, self._catalog)
            self.buttons[step.id].setEnabled(can)
            self._notes[step.id].say(said, meaning="warn" if can else "quiet")


def _title(text: str) -> QLabel:
    title = QLabel(text)
    font = QFont(title.font())
    font.setPointSizeF(font.pointSizeF() * 1.6)
    title.setFont(font)
    title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return title
