"""Qt view of the launch form: with what, train new or use trained, and the button that starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from mosaic.errors import UsageError
from mosaic.protocol.runs import ENDED
from mosaic.ui.launch.catalog_view import CatalogView
from mosaic.ui.launch.model.launch import SCRIPT
from mosaic.ui.launch.model.script import script_spec
from mosaic.ui.launch.script_page import ScriptPage
from mosaic.ui.launch.train_page import TrainPage
from mosaic.ui.launch.trained_panel import TrainedPanel
from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.theme import GAP, INSET
from mosaic.ui.shell.widgets.bits import Note, Pills, Primary, foot, scrolled

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from mosaic.ui.launch.evaluating import Evaluating
    from mosaic.ui.launch.launching import Launching
    from mosaic.ui.launch.model.memory import Page
    from mosaic.ui.shell.context import Context

__all__ = ["LaunchPanel"]


class LaunchPanel(QWidget):
    """Qt view of the launch form.

    Args:
        context: shared by all parts of the window.
        launching: the form of a training, and what carries it out.
        evaluating: what was trained, and what plays it.
    """

    def __init__(self, context: Context, launching: Launching, evaluating: Evaluating) -> None:
        super().__init__()
        self._context = context
        self.launching, self.evaluating = launching, evaluating
        self.launch = launching.launch
        self.catalog = CatalogView(self.launching.catalog, self.launch, context.ops)
        self.catalog.look_in.connect(self.launching.look_in)
        self.catalog.install.connect(self.launching.install)
        self.catalog.cancel.connect(self.launching.cancel)
        self.pages = Pills([("train", "Train new"), ("trained", "Use trained")], name="What to do")
        self.pages.chosen.connect(self._choose_page)
        self.train = TrainPage(self.launch, context.runs)
        self.trained = TrainedPanel(self.evaluating, self.launch, context.ops)
        self.script = ScriptPage(self.launching.script, context.ops)
        self.why = Note()
        self.button = Primary()
        self.button.setObjectName("launch")
        self.button.clicked.connect(self._pressed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._scrolled(), 1)
        column.addWidget(foot(self.why, self.button))
        self.launch.picked.connect(self._show_page)
        self.launch.checked.connect(self._show_button)
        self.launching.script.changed.connect(lambda _: self._show_button())
        self.evaluating.trained.changed.connect(self._show_button)
        self._show_page()
        QTimer.singleShot(0, self.launching, self.launching.look)
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.launching.close)

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks again: a runner may have been installed meanwhile."""
        super().showEvent(event)
        if self.launching.catalog.loaded and not self.launching.catalog.installing:
            self.launching.look()

    def commands(self) -> list[Action]:
        """What can be done from anywhere."""
        return [
            Action(
                id="launch.start",
                title="Start what the launch form says",
                call=self._pressed,
                keys=("Ctrl+Return",),
                when=self.button.isEnabled,
            ),
            Action(
                id="run.again", title="Launch again like this…", call=self.launching.again, when=self._has_job
            ),
            Action(
                id="run.resume",
                title="Resume this training…",
                call=self._resume,
                when=self._can_resume,
            ),
            Action(id="launch.script", title="Run my script…", call=self._context.asks.run_script.emit),
            Action(id="launch.look", title="Look for runners again", call=self.launching.look),
        ]

    def _has_job(self) -> bool:
        row = self._context.runs.get(self._context.selection.focus)
        return row is not None and row.runner != SCRIPT

    def _can_resume(self) -> bool:
        row = self._context.runs.get(self._context.selection.focus)
        entry = self.launching.catalog.get(row.runner) if row is not None and row.state in ENDED else None
        return entry is not None and entry.card is not None and entry.card.capabilities.supports_resume

    def _resume(self) -> None:
        if self._can_resume() and self._context.selection.focus is not None:
            self._context.asks.resume.emit(self._context.selection.focus)

    def _scrolled(self) -> QScrollArea:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(INSET, GAP, INSET, INSET)
        column.setSpacing(GAP + 2)
        column.addWidget(self.catalog)
        column.addWidget(self.pages)
        column.addWidget(self.train)
        column.addWidget(self.trained)
        column.addWidget(self.script)
        column.addStretch(1)
        return scrolled(body)

    def _choose_page(self, page: Page) -> None:
        self.launch.show(page)

    def _show_page(self) -> None:
        launch = self.launch
        self.pages.choose(launch.page)
        self.pages.setVisible(launch.offers_trained and not launch.is_script)
        self.script.setVisible(launch.is_script)
        self.trained.setVisible(launch.page == "trained")
        self.train.setVisible(
            not launch.is_script and launch.page == "train" and launch.algorithm is not None
        )
        self._show_button()

    def _show_button(self) -> None:
        launch = self.launch
        what = self._what()
        blocked = self._blocked()
        self.button.setText(what)
        self.button.setAccessibleName(what)
        self.button.setAccessibleDescription(blocked)
        self.button.setEnabled(not blocked)
        self.button.setToolTip(blocked or "Start it and watch it")
        self.why.say(launch.problem or blocked, meaning="bad" if launch.problem else "quiet")

    def _what(self) -> str:
        if self.launch.is_script:
            return "Run"
        if self.launch.page == "trained":
            return "Evaluate"
        count = len(self.launch.seeds)
        return "Train" if count < 2 else f"Train {count} runs"

    def _blocked(self) -> str:
        if self.launch.page == "trained":
            blocked = self.launch.unready
            return blocked or self.evaluating.trained.blocked(self.evaluating.form, runner=self.launch.runner)
        blocked = self.launch.blocked
        if not blocked and self.launch.is_script:
            try:
                script_spec(self.launching.script)
            except UsageError as error:
                return str(error)
        return blocked

    def _pressed(self) -> None:
        if self.launch.is_script:
            self.launching.start_script()
        elif self.launch.page == "trained":
            self.evaluating.start()
        else:
            self.launching.start()
