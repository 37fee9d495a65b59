"""Qt view of the form for a command of the user's own, with a note on what is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from mosaic.ui.launch.model.script import RECORDED
from mosaic.ui.launch.param_form import ParamForm
from mosaic.ui.launch.path_line import PathOffers
from mosaic.ui.shell.widgets.bits import Heading, Note

if TYPE_CHECKING:
    from mosaic.ui.launch.model.form import Form
    from mosaic.ui.shell.ops import Ops

__all__ = ["ScriptPage"]


class ScriptPage(QWidget):
    """Qt view of a script form."""

    def __init__(self, form: Form, ops: Ops) -> None:
        super().__init__()
        self.form = ParamForm(form, title="Run my script", wide=("command", "cwd"))
        command = self.form.rows["command"].editor
        if isinstance(command, QLineEdit):
            command.setPlaceholderText("python train.py --seed 1")
        folder = self.form.rows["cwd"].editor
        if isinstance(folder, QLineEdit):
            PathOffers(folder, ops, folders_only=True)
            folder.textChanged.connect(lambda text: form.set("cwd", text))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.form)
        column.addWidget(Heading("What is recorded"))
        column.addWidget(Note(RECORDED))
