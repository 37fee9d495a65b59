"""What the panels about the run in focus share: they keep up while somebody looks, else they read nothing.

Where there is nothing to show, a sentence stands in its stead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QStackedWidget, QWidget

from mosaic.ui.shell.following import Following
from mosaic.ui.shell.widgets.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.ui.shell.context import Context

__all__ = ["FollowingPanel"]


class FollowingPanel(QWidget):
    """A message, or the page that a panel adds to `_stack`; `following` reads while it is on the screen.

    Args:
        context: shared by all parts of the window.
        gap_ms: the shortest time between two reads.
        empty: what is said at first.
    """

    def __init__(self, context: Context, *, gap_ms: int, empty: str) -> None:
        super().__init__()
        self._context = context
        self._message = Message(empty)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._message)
        self.following: Following[Any] = Following(
            context,
            wanted=self._wanted,
            work=self._work,
            take=self._take,
            failed=self._say,
            gap_ms=gap_ms,
        )
        context.selection.changed.connect(self._chosen)

    def showEvent(self, event: QShowEvent) -> None:
        """Keep up while somebody looks."""
        super().showEvent(event)
        self._chosen()
        self.following.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: read nothing."""
        self.following.stop()
        super().hideEvent(event)

    def _wanted(self) -> Sequence[str]:
        """Which runs are read: the one in focus, unless a panel shows others."""
        focus = self._context.selection.focus
        return () if focus is None else (focus,)

    def _chosen(self) -> None:
        """Another run may be in focus, or the panel has come to the screen."""
        raise NotImplementedError

    def _work(self, due: tuple[str, ...]) -> Callable[[], Any]:
        """What reads the runs that are due; it is called on another thread."""
        raise NotImplementedError

    def _take(self, found: Any) -> bool:
        """Show what was read; says whether there is more to read at once."""
        raise NotImplementedError

    def _say(self, text: str) -> None:
        self._message.say(text)
        self._stack.setCurrentIndex(0)

    def _said(self, otherwise: str) -> str:
        """What the message says while it is shown."""
        return self._message.label.text() if self._stack.currentIndex() == 0 else otherwise
