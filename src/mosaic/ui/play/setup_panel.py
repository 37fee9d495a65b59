"""Qt view of a `Setup`: the form of a session, its check, and the button that plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from mosaic.ui.launch.model.basics import COMMON_ENVS
from mosaic.ui.launch.param_form import ParamForm
from mosaic.ui.launch.preflight_list import CommandPreview, PreflightList
from mosaic.ui.play.model.setup import BOARDS
from mosaic.ui.play.seats_editor import SeatsEditor
from mosaic.ui.shell.theme import GAP, INSET
from mosaic.ui.shell.widgets.bits import Note, Primary, foot, scrolled

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from mosaic.ui.play.model.setup import Setup
    from mosaic.ui.play.starting import Starting
    from mosaic.ui.shell.context import Context

__all__ = ["SetupPanel"]

_ABOUT = {
    "human": "Play it yourself, by keyboard and mouse. Everything is recorded.",
    "hybrid": "Operators play; take over with T at any step, and give back.",
}


class SetupPanel(QWidget):
    """Qt view of Setup.

    Args:
        context: shared by all parts of the window.
        starting: checks and starts what the form says.
        setup: the form.
    """

    def __init__(self, context: Context, starting: Starting, setup: Setup) -> None:
        super().__init__()
        self._context, self._starting, self.setup = context, starting, setup
        self.basics = ParamForm(
            setup.basics,
            title="Session",
            more="More",
            completions={"env_id": self._environments()},
            wide=("env_id", "env_arguments"),
        )
        self.seats = SeatsEditor(setup)
        self.parameters: ParamForm | None = None
        self.preflight, self.command = PreflightList(), CommandPreview()
        self.why, self.button = Note(), Primary()
        self.button.setObjectName(f"play-{setup.who}")
        self.button.setText("Play" if setup.who == "human" else "Watch it play")
        self.button.clicked.connect(lambda: starting.start(setup.who))
        self._column = QVBoxLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._scrolled(), 1)
        column.addWidget(foot(self.why, self.button))
        setup.arranged.connect(self._show_parameters)
        setup.changed.connect(self._show_fields)
        setup.checked.connect(self._show_checks)
        context.runs.changed.connect(lambda _: self._complete())
        self._show_parameters()
        self._show_fields()
        self._show_checks()

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: check what it says."""
        super().showEvent(event)
        self._starting.show(self.setup.who)

    def _scrolled(self) -> QScrollArea:
        body = QWidget()
        body.setLayout(self._column)
        self._column.setContentsMargins(INSET, GAP, INSET, INSET)
        self._column.setSpacing(GAP + 2)
        self._column.addWidget(Note(_ABOUT[self.setup.who]))
        for widget in (self.basics, self.seats, self.preflight, self.command):
            self._column.addWidget(widget)
        self._column.addStretch(1)
        return scrolled(body)

    def _environments(self) -> list[str]:
        used = [env_id for row in self._context.runs.rows for env_id in row.env_ids]
        return list(dict.fromkeys([*used, *COMMON_ENVS, *BOARDS]))

    def _complete(self) -> None:
        self.basics.rows["env_id"].complete(self._environments())

    def _show_parameters(self) -> None:
        """The form of the chosen operators' parameters, made anew when they are other ones."""
        if self.parameters is not None:
            self.parameters.let_go()
            self.parameters.hide()
            self.parameters.deleteLater()
        self.parameters = ParamForm(self.setup.parameters, title="Parameters of the operators")
        self._column.insertWidget(self._column.indexOf(self.seats) + 1, self.parameters)
        self.parameters.setVisible(bool(self.setup.parameters.names))

    def _show_fields(self) -> None:
        you = self.basics.rows.get("you")
        if you is not None:
            policy = you.reset.sizePolicy()
            policy.setRetainSizeWhenHidden(self.setup.is_zoo)  # or its line would stay, empty
            you.reset.setSizePolicy(policy)
            for widget in (you.label, you.editor):
                widget.setVisible(self.setup.is_zoo)
            if not self.setup.is_zoo:
                you.reset.hide()
                you.problem.hide()

    def _show_checks(self) -> None:
        setup = self.setup
        blocked = setup.blocked
        if setup.checking:
            state = "Checking whether this can work…"
        else:
            state = "" if setup.plan is not None else "Checked once everything above is filled in."
        self.preflight.show_checks(setup.checks, state=state)
        self.command.show_words([] if setup.plan is None else setup.plan.command)
        self.button.setEnabled(not blocked)
        self.button.setAccessibleName(self.button.text())
        self.button.setAccessibleDescription(blocked)
        self.button.setToolTip(blocked or "Start it and go to its frames")
        wrong = bool(setup.problem or setup.check_failed)
        self.why.say(setup.problem or blocked, meaning="bad" if wrong else "quiet")
