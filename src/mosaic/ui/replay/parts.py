"""Where everything of a replay stands: picture, timeline, buttons, lists. Layout only, no behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from mosaic.ui.replay.episode_bar import EpisodeBar
from mosaic.ui.replay.export_bar import ExportBar
from mosaic.ui.replay.model import Transport
from mosaic.ui.replay.timeline import Timeline
from mosaic.ui.replay.transport_bar import TransportBar
from mosaic.ui.shell.widgets.frame_view import FrameView
from mosaic.ui.shell.widgets.full_screen import FullScreen
from mosaic.ui.shell.widgets.notice import Notice
from mosaic.ui.shell.widgets.rows_table import Rows, RowsTable

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.model.actions import Action

__all__ = ["ReplayParts"]

_WIDE = 900


class ReplayParts(QWidget):
    """The parts of a replay tab, with a transport that moves them."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.transport = Transport()
        self.full: FullScreen | None = None
        self._make(context)

    def _make(self, context: Context) -> None:
        self.bar = EpisodeBar()
        self.view = FrameView("Replayed frame")
        self.notice = Notice()
        self.stack = QStackedWidget()
        self.stack.addWidget(self.view)
        self.stack.addWidget(self.notice)
        self.timeline = Timeline(self.transport)
        self.buttons = TransportBar(self.transport)
        self.export_bar = ExportBar(context)
        self.export_bar.hide()
        self.branch_button = _button("Branch", "Start a new run from this step on, with random actions")
        self.export_button = _button("Export…", "Write this episode as MP4, GIF or PNG files")
        self.export_button.setCheckable(True)
        self.export_button.toggled.connect(self.export_bar.setVisible)
        self.buttons.add_widget(self.branch_button)
        self.buttons.add_widget(self.export_button)
        self.stage = QWidget()
        column = _column(self.stage)
        column.addWidget(self.stack, 1)
        column.addWidget(self.timeline)
        column.addWidget(self.buttons)
        column.addWidget(self.export_bar)
        self.episodes = RowsTable(
            Rows(("Episode", "Return", "Length"), right=frozenset({0, 1, 2})),
            name="Finished episodes, newest first",
            widths=(8, 9, 7),
        )
        self.episodes.setHorizontalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )  # narrow, and all of it
        self.steps = RowsTable(
            Rows(("Step", "Action", "Reward", "Flags", "Observation"), right=frozenset({0, 2})),
            name="Steps of this episode",
            widths=(7, 10, 8, 11, 30),
        )
        self.steps.clicked.connect(lambda index: self.transport.seek(index.row()))
        self.steps.activated.connect(lambda index: self.transport.seek(index.row()))
        self.lists = QSplitter()
        self.lists.addWidget(self.episodes)
        self.lists.addWidget(self.steps)
        self.split = QSplitter()
        self.split.addWidget(self.stage)
        self.split.addWidget(self.lists)
        for split in (self.lists, self.split):
            split.setChildrenCollapsible(False)
        self.arrange(wide=False)
        whole = _column(self)
        whole.addWidget(self.bar)
        whole.addWidget(self.split, 1)

    def arrange(self, *, wide: bool) -> None:
        """Lists beside the picture where there is room, else below it."""
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.split.setOrientation(across if wide else down)
        self.lists.setOrientation(down if wide else across)
        self.split.setStretchFactor(0, 3)
        self.split.setStretchFactor(1, 1)
        self.lists.setStretchFactor(0, 2)
        self.lists.setStretchFactor(1, 3)
        width, height = self.width(), self.height()
        self.split.setSizes([width - 420, 420] if wide else [height * 7 // 10, height * 3 // 10])
        self.lists.setSizes([height * 2 // 5, height * 3 // 5] if wide else [220, max(220, width - 220)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another shape may need another arrangement."""
        super().resizeEvent(event)
        wide = event.size().width() >= _WIDE
        if wide != (self.split.orientation() == Qt.Orientation.Horizontal):
            self.arrange(wide=wide)

    def rearrange(self) -> None:
        """Share the room anew."""
        self.arrange(wide=self.width() >= _WIDE)

    def commands(self) -> list[Action]:
        """What a user can do here; none of it is done by the layout."""
        return []

    def toggle_full_screen(self) -> None:
        """The picture with its timeline on the whole screen, and back."""
        if self.full is not None:
            self.full.leave()
            return
        self.full = FullScreen(self.stage, actions=self.commands(), left=self._take_back)

    def _take_back(self) -> None:
        self.full = None
        self.split.insertWidget(0, self.stage)
        self.rearrange()


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _column(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    return column
