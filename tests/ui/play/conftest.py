"""A window with a session in focus: the socket is real, what it says is the test's."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from mosaic.protocol.hands import Said
from mosaic.ui.shell.context import Context
from mosaic.ui.window import Window
from mosaic_worker.common.hands import SOCKET
from tests.ui.play.talking import Session
from tests.ui.rows import row, run_id

WAIT_MS = 30_000


class Stage:
    """A window that looks at a session."""

    def __init__(self, qtbot: QtBot, context: Context) -> None:
        self.qtbot, self.context = qtbot, context
        self.session = Session(context.root.run(run_id(1)).path / SOCKET)
        self.window = Window(context)
        qtbot.addWidget(self.window)
        self.window.show()
        self.window.activateWindow()
        self.bar, self.playing = self.window.play, self.window.play.playing

    def open(self, *said: Said) -> None:
        """Have the window connect, and say these."""
        self.context.runs.update([row(1, runner="session")])
        self.context.asks.watch.emit(run_id(1))
        self.session.accept(*said)
        self.until(lambda: self.playing.now is not None)

    def say(self, said: Said) -> None:
        """The session says one thing, and the window has heard it."""
        heard: list[None] = []
        unhear = self.playing.changed.connect(lambda: heard.append(None))
        self.session.say(said)
        self.until(lambda: bool(heard))
        unhear()

    def until(self, found: Callable[[], bool]) -> None:
        """Wait for it."""
        self.qtbot.waitUntil(found, timeout=WAIT_MS)

    def close(self) -> None:
        """Let everything go."""
        self.window.close()
        self.session.close()


@pytest.fixture
def stage(qtbot: QtBot, context: Context) -> Iterator[Stage]:
    """A window, before it has found a session."""
    made = Stage(qtbot, context)
    yield made
    made.close()
