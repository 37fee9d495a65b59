"""Offering paths while one is typed: the folder is read off the window's thread, late answers are dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QStringListModel
from PySide6.QtWidgets import QCompleter, QLineEdit

from mosaic.ui.launch.offers import paths_like

if TYPE_CHECKING:
    from mosaic.ui.shell.ops import Operation, Ops

__all__ = ["PathOffers"]


class PathOffers(QStringListModel):
    """The paths offered for one line. Made for a line; lives as long as it does."""

    def __init__(self, line: QLineEdit, ops: Ops, *, folders_only: bool = False) -> None:
        super().__init__(line)
        self._ops = ops
        self._folders_only = folders_only
        self._under_way: Operation | None = None
        self._completer = QCompleter(self, line)
        line.setCompleter(self._completer)
        line.textEdited.connect(self._look)

    def _look(self, text: str) -> None:
        if self._under_way is not None:
            self._under_way.abandon()
        only = self._folders_only
        self._under_way = self._ops.run(lambda: paths_like(text, folders_only=only), done=self._found)

    def _found(self, paths: list[str]) -> None:
        if paths != self.stringList():
            self.setStringList(paths)
            line = self._completer.widget()
            if isinstance(line, QLineEdit) and line.hasFocus() and paths:
                self._completer.setCompletionPrefix(line.text())
                self._completer.complete()
