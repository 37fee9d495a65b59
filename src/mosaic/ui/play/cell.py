"""Qt view of one session among several: its frame, who plays, what it came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from mosaic.text import visible
from mosaic.ui.live.model import Live
from mosaic.ui.play.line import Line
from mosaic.ui.play.model.several import result_said, seats_said
from mosaic.ui.shell.theme import TIGHT
from mosaic.ui.shell.widgets.bits import Note
from mosaic.ui.shell.widgets.controls import tool
from mosaic.ui.shell.widgets.elided import ElidedLabel
from mosaic.ui.shell.widgets.surface import Surface

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mosaic.app.results import SeatResult
    from mosaic.protocol.runs import RunRow
    from mosaic.ui.play.model.playing import Playing
    from mosaic.ui.shell.context import Context

__all__ = ["Cell"]

_FPS = 15.0


class Cell(QFrame):
    """One session.

    Args:
        context: the window's.
        playing: the session; the cell connects it.
        name: what the run is called.
    """

    opened = Signal()
    """Somebody wants it alone, in the live view."""

    def __init__(self, context: Context, playing: Playing, *, name: str) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(f"Session {visible(name)}")
        self.playing = playing
        self.line = Line(context, playing)
        self.line.setParent(self)  # dies with it, on its thread, and not whenever Python tidies up
        self.live = Live(context.root, fps=_FPS, most=4)
        self.view = Surface(f"Frame of {visible(name)}")
        self.title = ElidedLabel()
        self.title.show_text(visible(name))
        self.hud, self.result = Note(), Note()
        alone = tool("Live", tip=f"Show {visible(name)} alone, and play it", act=self.opened.emit)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(alone)
        column = QVBoxLayout(self)
        column.setContentsMargins(TIGHT, TIGHT, TIGHT, TIGHT)
        column.setSpacing(TIGHT)
        column.addLayout(head)
        column.addWidget(self.view, 1)
        column.addWidget(self.hud)
        column.addWidget(self.result)
        self._unhear = [playing.changed.connect(self.refresh), playing.stood.connect(self.look)]
        self.refresh()

    def show_row(self, row: RunRow | None) -> None:
        """The run as it stands."""
        self.line.show(row)
        self.live.show(row)

    def show_results(self, results: Iterable[SeatResult]) -> None:
        """What it came to."""
        self.result.say(result_said(results))

    def look(self) -> None:
        """Take the newest frame, if there is one."""
        shown = self.live.on_screen if self.live.tick() else None
        if shown is not None and shown.scene is not None:
            self.view.show_scene(shown.scene)
        elif shown is not None and shown.pixels is not None:
            self.view.show_pixels(shown.pixels)

    def refresh(self) -> None:
        """Who plays, and how far."""
        ended = self.line.run_id is None
        self.hud.say(
            "This session has ended." if ended and self.playing.now is None else seats_said(self.playing)
        )
        self.view.set_dimmed(ended)

    def shut(self) -> None:
        """Let the session and its frames go. Twice is fine."""
        for unhear in self._unhear:
            unhear()
        self.line.close()
        self.live.want(False)
        self.live.close()
