"""What the panels about the run in focus share: they keep up while somebody looks, else they read nothing.

Where there is nothing to show, a sentence stands in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStackedWidget, QWidget

from mosaic.ui.shell.widgets.message import Message

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.ops import Operation

__all__ = ["FollowingPanel"]


class FollowingPanel(QWidget):
    """A message, or the page that a panel adds to `_stack`; a timer that runs while it is on the screen.

    Args:
        context: shared by all parts of the window.
        every_ms: how often `_turn` is called while somebody looks.
        empty: what is said at first.
    """

    def __init__(self, context: Context, *, every_ms: int, empty: str) -> None:
        super().__init__()
        self._context = context
        self._reading: Operation | None = None
        self._message = Message(empty)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._message)
        self._timer = QTimer(self)
        self._timer.setInterval(every_ms)
        self._timer.timeout.connect(self._turn)
        context.selection.changed.connect(self._chosen)

    def showEvent(self, event: QShowEvent) -> None:
        """Keep up while somebody looks."""
        super().showEvent(event)
        self._timer.start()
        self._chosen()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: read nothing."""
        self._timer.stop()
        super().hideEvent(event)

    def _chosen(self) -> None:
        """Another run may be in focus, or the panel has come to the screen."""
        raise NotImplementedError

    def _turn(self) -> None:
        """It is time to look whether something is new."""
        raise NotImplementedError

    def _say(self, text: str) -> None:
        self._message.say(text)
        self._stack.setCurrentIndex(0)

    def _said(self, otherwise: str) -> str:
        """What the message says while it is shown."""
        return self._message.label.text() if self._stack.currentIndex() == 0 else otherwise

    def _abandon(self) -> None:
        """Let a read under way go; what it finds is not wanted any more."""
        if self._reading is not None:
            self._reading.abandon()
            self._reading = None
