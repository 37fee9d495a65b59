"""Qt view of a `Launch` that trains: the training, the algorithm's parameters, the command, the preflight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from mosaic.ui.launch.model.basics import COMMON_ENVS
from mosaic.ui.launch.param_form import ParamForm
from mosaic.ui.launch.preflight_list import CommandPreview, PreflightList
from mosaic.ui.shell.widgets.bits import Note

if TYPE_CHECKING:
    from mosaic.ui.launch.model.launch import Launch
    from mosaic.ui.shell.model.runs import RunList

__all__ = ["TrainPage"]


class TrainPage(QWidget):
    """Qt view of Launch. The forms are made anew for every algorithm.

    Args:
        launch: what would be launched.
        runs: the environments already used there are offered while typing.
    """

    def __init__(self, launch: Launch, runs: RunList) -> None:
        super().__init__()
        self._launch = launch
        self._runs = runs
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(10)
        self.note = Note()
        self.preflight = PreflightList()
        self.command = CommandPreview()
        self.basics: ParamForm | None = None
        self.parameters: ParamForm | None = None
        self._column.addWidget(self.note)
        self._column.addWidget(self.preflight)
        self._column.addWidget(self.command)
        launch.picked.connect(self._rebuild)
        launch.checked.connect(self._show_checks)
        launch.changed.connect(self._show_note)
        runs.changed.connect(lambda _: self._complete())
        self._made_for: tuple[object, object] | None = None
        self._rebuild()
        self._show_checks()

    def _rebuild(self) -> None:
        launch = self._launch
        if self._made_for == (launch.basics, launch.parameters):
            return
        for old in (self.basics, self.parameters):
            if old is not None:
                old.let_go()
                old.hide()
                old.deleteLater()
        self._made_for = (launch.basics, launch.parameters)
        offered = {"env_id": self._environments()}
        algorithm = launch.algorithm
        title = (algorithm.title or algorithm.id) if algorithm is not None else "Parameters"
        self.basics = ParamForm(
            launch.basics,
            title="Training",
            more="Name, tags and more",
            completions=offered,
            wide=("env_arguments", "init", "arguments"),
        )
        self.parameters = ParamForm(launch.parameters, title=f"Parameters of {title}")
        self._column.insertWidget(0, self.basics)
        self._column.insertWidget(1, self.note)
        self._column.insertWidget(2, self.parameters)
        self.basics.setVisible(bool(launch.basics.names))
        self.parameters.setVisible(bool(launch.parameters.names))
        self._show_note()

    def _environments(self) -> list[str]:
        used = [env_id for row in self._runs.rows for env_id in row.env_ids]
        return list(dict.fromkeys([*used, *COMMON_ENVS]))

    def _complete(self) -> None:
        if self.basics is not None and "env_id" in self.basics.rows:
            self.basics.rows["env_id"].complete(self._environments())

    def _show_note(self) -> None:
        self.note.say(self._launch.note)

    def _show_checks(self) -> None:
        launch = self._launch
        if launch.checking:
            state = "Checking whether this can work…"
        elif launch.check_failed:
            state = f"The check could not be made: {launch.check_failed}"
        else:
            state = "" if launch.checks else _not_yet(launch)
        self.preflight.show_checks(launch.checks, state=state)
        self.command.show_words(launch.command)


def _not_yet(launch: Launch) -> str:
    entry = launch.entry
    if entry is not None and entry.state != "ready":
        return f"Checked once {entry.title} is installed."
    return "Checked once everything above is filled in."
