"""The one way from any thread into the window: `Bridge.post`. Calls arrive on Qt's thread, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Bridge"]


class Bridge(QObject):
    """Made on the window's thread. After `close`, what is posted is dropped: nobody is there to see it."""

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def post(self, call: Callable[[], object]) -> None:
        """Have this called on the window's thread. Never waits; from any thread."""
        if not self._closed:
            self._posted.emit(call)

    def close(self) -> None:
        """Deliver nothing more."""
        self._closed = True

    @Slot(object)
    def _run(self, call: Callable[[], object]) -> None:
        if not self._closed:
            call()
