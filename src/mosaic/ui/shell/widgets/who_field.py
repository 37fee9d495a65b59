"""A field in which people say who decides: typed, or picked from what there is. Starts nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from mosaic.operators import registry
from mosaic.protocol.cards import COMMAND_RUNNER, SESSION_RUNNER

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QShowEvent

    from mosaic.ui.shell.context import Context

__all__ = ["WhoField"]

_MOST_RUNS = 12
_FIRST = "random"


class WhoField(QComboBox):
    """Offers every operator there is, then runs trained on the environment, at most twelve, the newest first.

    Args:
        context: whose runs are offered as trained policies.
        env_id: says which environment it is for, whenever the field is shown.
        name: what is asked for, in words.
        tip: what may be typed.
    """

    entered = Signal()
    """Return was pressed."""

    def __init__(self, context: Context, *, env_id: Callable[[], str], name: str, tip: str) -> None:
        super().__init__()
        self._context, self._env_id = context, env_id
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setMinimumContentsLength(18)
        edit = self.lineEdit()
        if edit is not None:
            edit.setPlaceholderText("random, python:FILE.py, RUN:best …")
            edit.returnPressed.connect(self.entered)

    def showEvent(self, event: QShowEvent) -> None:
        """Look up whom there is to pick from."""
        super().showEvent(event)
        self._context.ops.run(_known_forms, done=self._offer)

    def _offer(self, forms: list[str]) -> None:
        typed = self.currentText()
        self.clear()
        self.addItems([*forms, *(f"{name}:best" for name in self._trained()[:_MOST_RUNS])])
        self.setEditText(typed or _FIRST)

    def _trained(self) -> list[str]:
        """Runs that a runner trained on the environment, the newest first."""
        env_id = self._env_id()
        return [
            row.name or row.run_id
            for row in self._context.runs.rows
            if row.runner not in (COMMAND_RUNNER, SESSION_RUNNER)
            and row.parent is None
            and env_id in row.env_ids
        ]


def _known_forms() -> list[str]:
    """What people type for each operator there is, `random` first. Takes a moment."""
    forms = [one.operator.card.form for one in registry.listed() if one.operator is not None]
    return sorted((form for form in forms if "," not in form), key=lambda form: (form != _FIRST, form))
