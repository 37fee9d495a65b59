"""Qt view of live frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from mosaic.ui.context import Context

__all__ = ["LiveTab"]


class LiveTab(QWidget):
    """Qt view of live frames."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
