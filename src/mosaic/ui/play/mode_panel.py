"""Qt view of `Modes`: Human, Hybrid or Agent, and the form of the one that is chosen."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from mosaic.ui.play.model.modes import MODES
from mosaic.ui.play.setup_panel import SetupPanel
from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.theme import GAP, INSET
from mosaic.ui.shell.widgets.bits import Pills

if TYPE_CHECKING:
    from mosaic.ui.launch.panel import LaunchPanel
    from mosaic.ui.play.model.modes import Mode, Modes
    from mosaic.ui.play.starting import Starting
    from mosaic.ui.shell.context import Context

__all__ = ["ModePanel"]

_START = "launch.start"


class ModePanel(QWidget):
    """Qt view of Modes. Of the three forms one is there to be seen; training is behind Agent alone.

    Args:
        context: shared by all parts of the window.
        modes: which is chosen.
        starting: checks and starts sessions.
        launch: the form of trainings, shown for Agent.
    """

    def __init__(self, context: Context, modes: Modes, starting: Starting, launch: LaunchPanel) -> None:
        super().__init__()
        self.modes, self.starting, self.launch = modes, starting, launch
        self.pills = Pills(list(MODES.items()), name="Mode")
        self.pills.chosen.connect(modes.choose)
        self.human = SetupPanel(context, starting, starting.setups["human"])
        self.hybrid = SetupPanel(context, starting, starting.setups["hybrid"])
        self._pages: dict[Mode, QWidget] = {"human": self.human, "hybrid": self.hybrid, "agent": launch}
        self.stack = QStackedWidget()
        for page in self._pages.values():
            self.stack.addWidget(page)
        head = QVBoxLayout()
        head.setContentsMargins(INSET, GAP, INSET, 0)
        head.addWidget(self.pills)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        modes.changed.connect(self._show)
        self._show()
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(starting.close)

    def commands(self) -> list[Action]:
        """The modes, and one action that starts what the chosen form says."""
        offered = self.launch.commands()
        starts = next(action for action in offered if action.id == _START)
        others = [action for action in offered if action.id != _START]
        whole = replace(
            starts,
            title="Start what the form says",
            call=lambda: self._start(starts),
            when=lambda: self._can_start(starts),
        )
        modes = [
            Action(id=f"launch.{mode}", title=f"Mode: {title}", call=partial(self.modes.choose, mode))
            for mode, title in MODES.items()
        ]
        cycle = Action(id="launch.mode", title="The next mode", call=self.modes.next, keys=("Ctrl+M",))
        return [whole, *modes, cycle, *others]

    def _setup(self) -> SetupPanel | None:
        return {"human": self.human, "hybrid": self.hybrid}.get(self.modes.mode)

    def _start(self, starts: Action) -> None:
        panel = self._setup()
        starts.call() if panel is None else self.starting.start(panel.setup.who)

    def _can_start(self, starts: Action) -> bool:
        panel = self._setup()
        return starts.when() if panel is None else panel.button.isEnabled()

    def _show(self) -> None:
        self.pills.choose(self.modes.mode)
        self.stack.setCurrentWidget(self._pages[self.modes.mode])
        if self.modes.mode == "agent":
            self.starting.show(None)
