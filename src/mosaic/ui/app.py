"""The desktop program: one application, one window. Importing this loads Qt."""

from __future__ import annotations

import signal
import socket
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QSocketNotifier
from PySide6.QtWidgets import QApplication

from mosaic.protocol.runs import ENDED
from mosaic.ui.shell import layout
from mosaic.ui.shell.context import make_context
from mosaic.ui.shell.feed import Feed
from mosaic.ui.shell.garbage import Garbage
from mosaic.ui.shell.theme import Theme
from mosaic.ui.window import Window

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QWidget

    from mosaic.paths import DataRoot
    from mosaic.ui.shell.context import Context

__all__ = ["main", "paint_first"]

_FIRST_PAINT_SECS = 0.5


@contextmanager
def _ended_by_signals(window: QWidget) -> Iterator[None]:
    """Ctrl-C and SIGTERM close the window as its button does: what it remembers is written.

    Qt waits in C++, where Python runs no handler: the interpreter's wake-up descriptor wakes Qt instead.
    """
    heard, told = socket.socketpair()
    for end in (heard, told):
        end.setblocking(False)
    notifier = QSocketNotifier(heard.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda *_: window.close())
    fd_before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    wanted = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: None) for number in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(fd_before)
        notifier.setEnabled(False)
        heard.close()
        told.close()


def paint_first(app: QApplication, window: QWidget) -> None:
    """Have the window on the screen before its parts are loaded."""
    until = time.monotonic() + _FIRST_PAINT_SECS
    while not window.windowHandle().isExposed() and time.monotonic() < until:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 10)
    window.repaint()
    app.processEvents()


def _show_first(context: Context, run_id: str) -> None:
    """Choose a run as soon as it is listed, once: live while it goes on, else its replay."""

    def listed(changed: frozenset[str]) -> None:
        row = context.runs.get(run_id) if run_id in changed else None
        if row is not None:
            disconnect()
            if row.state in ENDED:
                context.asks.replay.emit(run_id, None)
            else:
                context.asks.watch.emit(run_id)

    disconnect = context.runs.changed.connect(listed)


def main(root: DataRoot, *, run_id: str | None = None) -> int:
    """Open the window on a data root, and stay until it is closed. The daemon is started meanwhile.

    Args:
        root: the data root.
        run_id: the run to show first.
    """
    app = QApplication(sys.argv[:1])
    app.setApplicationName("MOSAIC")
    app.setDesktopFileName("mosaic")
    theme = Theme(app, layout.load(root).theme)
    context = make_context(root)
    context.colours.set_dark(theme.dark)
    theme.changed.connect(context.colours.set_dark)
    window = Window(context, filled=False)
    window.theme_chosen.connect(theme.choose)
    feed, garbage = Feed(context), Garbage()
    if run_id is not None:
        _show_first(context, run_id)
    window.show()
    paint_first(app, window)
    garbage.start()
    try:
        with _ended_by_signals(window):
            window.fill()
            feed.start()
            return app.exec()
    finally:
        feed.close()
        context.close()
        garbage.close()
