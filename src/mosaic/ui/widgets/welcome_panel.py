"""Qt view of the first steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from mosaic.ui.context import Context

__all__ = ["WelcomePanel"]


class WelcomePanel(QWidget):
    """Qt view of the first steps."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
