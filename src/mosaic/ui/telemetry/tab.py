"""Qt view of `Telemetry`: the last steps and episodes of the run in focus. Follows nothing while hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mosaic.protocol.runs import ENDED
from mosaic.text import visible
from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.theme import GAP, TIGHT
from mosaic.ui.shell.widgets.notice import Notice
from mosaic.ui.shell.widgets.rows_table import Rows, RowsTable
from mosaic.ui.telemetry.model import (
    EPISODE_COLUMNS,
    STEP_COLUMNS,
    episode_cells,
    step_cells,
)

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.protocol.rows import EpisodeRow
    from mosaic.ui.shell.context import Context
    from mosaic.ui.telemetry.feed import TelemetryFeed
    from mosaic.ui.telemetry.model import Telemetry

__all__ = ["TelemetryTab"]

_REDRAW_MILLIS = 100


class TelemetryTab(QWidget):
    """Live telemetry of the run in focus, redrawn at most ten times a second.

    Args:
        context: shared by all parts of the window.
        telemetry: what is shown.
        feed: what reads for it while somebody looks.
    """

    def __init__(self, context: Context, telemetry: Telemetry, feed: TelemetryFeed) -> None:
        super().__init__()
        self._context = context
        self.telemetry, self.feed = telemetry, feed
        self._shown_episodes: list[EpisodeRow] = []
        self._held = False
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(_REDRAW_MILLIS)
        self._redraw.timeout.connect(self._draw)
        self._make()
        self._heard = [
            telemetry.changed.connect(self._changed),
            context.selection.changed.connect(self._changed),
            context.runs.changed.connect(lambda moved: self._changed() if feed.run_id in moved else None),
            context.link.changed.connect(self._changed),
        ]
        self._draw()

    def _make(self) -> None:
        self.said = QLabel()
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setWordWrap(True)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.said.setAccessibleName("State of the stream")
        self.hold = QPushButton("Hold")
        self.hold.setCheckable(True)
        self.hold.setToolTip("Space. Keep the lists as they are; nothing is lost.")
        self.hold.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.hold.toggled.connect(self._set_held)
        top = QHBoxLayout()
        top.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        top.addWidget(self.said, 1)
        top.addWidget(self.hold)
        self.steps = RowsTable(
            Rows(STEP_COLUMNS, right=frozenset({0, 1, 3})),
            name="Last steps",
            widths=(8, 8, 16, 10, 12, 40),
        )
        self.episodes = RowsTable(
            Rows(EPISODE_COLUMNS, right=frozenset({0, 1, 2, 4, 5, 6})),
            name="Last episodes",
            widths=(8, 10, 8, 12, 10, 8, 10),
        )
        self.episodes.activated.connect(lambda index: self._replay(index.row()))
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.addWidget(_titled("Last steps, newest first", self.steps))
        self.split.addWidget(_titled("Last episodes, newest first (double-click to replay)", self.episodes))
        self.split.setSizes([300, 200])
        self.split.setChildrenCollapsible(False)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.split, 1)
        self.notice = Notice()
        self.stack = QStackedWidget()
        self.stack.addWidget(self.notice)
        self.stack.addWidget(body)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)

    def commands(self) -> list[Action]:
        """What a user can do here, for menus, palette and keys."""
        return [
            Action(
                id="telemetry.hold",
                title="Hold the telemetry lists, or let them go on",
                call=self.hold.toggle,
                keys=("Space", "K"),
                scope="telemetry",
            )
        ]

    # ---- what comes ----

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: follow."""
        super().showEvent(event)
        self.feed.start(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: stop."""
        super().hideEvent(event)
        self.feed.stop(self)

    def shut(self) -> None:
        """Let everything go, for good. Twice is fine."""
        for unhear in self._heard:
            unhear()
        self.feed.close()

    def _set_held(self, held: bool) -> None:
        self._held = held
        self._changed()

    def _replay(self, line: int) -> None:
        rows = self._shown_episodes
        run_id = self.feed.run_id
        if run_id is not None and line < len(rows):
            self._context.asks.replay.emit(run_id, rows[line].index)

    # ---- drawing ----

    def _changed(self) -> None:
        if not self._redraw.isActive():
            self._redraw.start()

    def _draw(self) -> None:
        telemetry = self.telemetry
        row = self._context.runs.get(self._context.selection.focus)
        state = None if row is None else row.state
        said = telemetry.said(state=state, connected=self._context.link.connected)
        empty = not telemetry.steps and not telemetry.episodes
        if row is None:
            self.notice.say("No run chosen", "Choose a run in the list to see its steps and episodes.")
        elif empty and state in ENDED and telemetry.read:
            self.notice.say("No steps", "This run has ended and recorded no steps and no episodes.")
        elif empty:
            self.notice.say("Nothing yet", said)
        self.stack.setCurrentIndex(0 if row is None or empty else 1)
        held = " Held: press Space to go on." if self._held else ""
        self.said.setText(said + held)
        if self._held:
            return
        steps = telemetry.newest_steps()
        self._shown_episodes = telemetry.newest_episodes()
        shown = self._shown_episodes
        names = {episode.episode_id: f"{episode.index:,}" for episode in shown}
        self.steps.rows.fill(
            len(steps),
            lambda n: step_cells(steps[n], names.get(steps[n].episode_id, visible(steps[n].episode_id))),
        )
        self.episodes.rows.fill(len(shown), lambda n: episode_cells(shown[n]))


def _titled(title: str, widget: QWidget) -> QWidget:
    """A part with its name above it."""
    part = QWidget()
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    label = QLabel(title)
    label.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    column.addWidget(label)
    column.addWidget(widget, 1)
    return part
