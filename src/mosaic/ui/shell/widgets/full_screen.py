"""One part of a tab on the whole screen, with the tab's own keys. Gives it back when left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mosaic.ui.shell.keys import key_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QCloseEvent, QKeyEvent

    from mosaic.ui.shell.model.actions import Action

__all__ = ["FullScreen"]


class FullScreen(QWidget):
    """A window of its own.

    Args:
        part: what is shown; taken out of where it stands.
        actions: whose keys work here.
        left: called once when the user leaves; puts the part back.
    """

    def __init__(self, part: QWidget, *, actions: Sequence[Action], left: Callable[[], object]) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.setWindowTitle("MOSAIC")
        self._actions, self._left = list(actions), left
        self._gone = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(part)
        part.show()
        self.showFullScreen()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves; the other keys are the tab's."""
        key = key_text(event)
        if key == "Esc":
            self.leave()
            return
        for action in self._actions:
            if key in action.keys and action.when():
                action.call()
                return
        super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closing it is leaving it."""
        self._give_back()
        super().closeEvent(event)

    def leave(self) -> None:
        """Give the part back and go."""
        self._give_back()
        self.close()

    def _give_back(self) -> None:
        if not self._gone:
            self._gone = True
            # Whoever holds us lets go now, perhaps inside our own key press: that must end before we do.
            QTimer.singleShot(0, lambda: self.deleteLater())  # noqa: PLW0108  (keeps us until then)
            self._left()
