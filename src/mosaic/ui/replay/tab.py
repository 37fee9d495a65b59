"""Qt view of `Replaying`: the frames, rewards and steps of a recorded episode, and the ways to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from mosaic.protocol.runs import ENDED
from mosaic.text import count, number
from mosaic.ui.replay.beside import Beside
from mosaic.ui.replay.beside_view import BesideStrip, BesideView, padded
from mosaic.ui.replay.commands import replay_commands
from mosaic.ui.replay.episode_bar import EpisodeBar
from mosaic.ui.replay.export_bar import ExportBar
from mosaic.ui.replay.go_on_bar import GoOnBar
from mosaic.ui.replay.insight import values_of
from mosaic.ui.replay.showing import show
from mosaic.ui.replay.timeline import Timeline
from mosaic.ui.replay.transport_bar import TransportBar
from mosaic.ui.replay.xray import Xray
from mosaic.ui.shell.model.values import value_cells
from mosaic.ui.shell.model.views import TITLES
from mosaic.ui.shell.widgets.controls import choice
from mosaic.ui.shell.widgets.full_screen import FullScreen
from mosaic.ui.shell.widgets.notice import Notice
from mosaic.ui.shell.widgets.rows_table import Rows, RowsTable
from mosaic.ui.shell.widgets.surface import Surface

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent

    from mosaic.ui.replay.replaying import Replaying
    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.model.actions import Action

__all__ = ["ReplayTab"]

_WIDE = 900


class ReplayTab(QWidget):
    """Qt view of a replay. Hidden, it stands still.

    Args:
        context: shared by all parts of the window.
        replaying: what is replayed, with its transport.
    """

    def __init__(self, context: Context, replaying: Replaying) -> None:
        super().__init__()
        self._context = context
        self.replaying = replaying
        self.transport = replaying.transport
        self.beside = Beside(context, replaying)
        self.full: FullScreen | None = None
        self._make(context)
        self._connect()
        self._show_beside()
        self._show_book()
        self._explain()

    def commands(self) -> list[Action]:
        """What a user can do here, for menus, palette and keys."""
        return replay_commands(
            self.replaying,
            self.beside,
            export=lambda: self.export_button.setChecked(True),
            go_on=lambda: self.branch_button.setChecked(True),
            full_screen=self.toggle_full_screen,
            xray=self.toggle_xray,
        )

    def shut(self) -> None:
        """Let everything go, for good. Twice is fine."""
        if self.full is not None:
            self.full.leave()
        self.export_bar.cancel()
        self.beside.shut()
        self.replaying.shut()

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: bring the list of episodes up to date."""
        super().showEvent(event)
        self.replaying.start(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: stand still."""
        super().hideEvent(event)
        if self.full is None:
            self.replaying.stop(self)

    # ---- where everything stands ----

    def _make(self, context: Context) -> None:
        self.bar = EpisodeBar()
        self.view = Surface("Replayed frame")
        self.notice = Notice()
        self.xray = Xray()
        self.xray.hide()
        self._xray_wanted = False
        self.stack = QStackedWidget()
        self.stack.addWidget(self.view)
        self.stack.addWidget(self.notice)
        self.beside_view = BesideView(self.beside, self.replaying)
        self.stack.addWidget(self.beside_view)
        self.timeline = Timeline(self.transport)
        self.strip = BesideStrip(self.beside, self.timeline, self.transport)
        self.buttons = TransportBar(self.transport)
        self.export_bar = ExportBar(context)
        self.export_bar.hide()
        self.go_on_bar = GoOnBar(context, self.replaying)
        self.go_on_bar.hide()
        self.beside_button = _button("Side by side", "")
        self.beside_button.setCheckable(True)
        self.branch_button = _button("Go on…", "Let somebody go on from this step, as a new run (G)")
        self.branch_button.setCheckable(True)
        self.branch_button.toggled.connect(self.go_on_bar.setVisible)
        self.export_button = _button("Export…", "Write this episode as MP4, GIF or PNG files")
        self.export_button.setCheckable(True)
        self.export_button.toggled.connect(self.export_bar.setVisible)
        self.bar.add_widget(self.beside_button)
        self._make_views()
        self.buttons.add_widget(self.branch_button)
        self.buttons.add_widget(self.export_button)
        self._make_stage()
        self._make_lists()
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

    def _make_stage(self) -> None:
        self.stage = QWidget()
        column = _column(self.stage)
        beside = QHBoxLayout()
        beside.addWidget(self.stack, 1)
        beside.addWidget(self.xray)
        column.addLayout(beside, 1)
        column.addWidget(self.strip)
        column.addWidget(self.timeline)
        column.addWidget(self.buttons)
        column.addWidget(self.go_on_bar)
        column.addWidget(self.export_bar)

    def _make_views(self) -> None:
        self.views = choice(TITLES, tip="What is shown (V)", name="View")
        self.views.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.views.activated.connect(lambda _: self.replaying.choose_view(self.views.currentData()))
        self.views.hide()
        self.bar.add_widget(self.views)

    def _make_lists(self) -> None:
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

    def arrange(self, *, wide: bool) -> None:
        """Lists beside the frame where there is room, else below it."""
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

    def toggle_full_screen(self) -> None:
        """The frame with its timeline on the whole screen, and back."""
        if self.full is not None:
            self.full.leave()
            return
        self.full = FullScreen(self.stage, actions=self.commands(), left=self._take_back)

    def toggle_xray(self) -> None:
        """What the decisions were made of, beside the frame, and away again."""
        self._xray_wanted = not self._xray_wanted
        self._show_xray()

    def _show_xray(self) -> None:
        opened = self.replaying.opened
        insights = {} if opened is None else opened.insights
        self.xray.show_insight(insights.get(self.transport.position))
        self.xray.setVisible(self._xray_wanted and bool(insights))

    def _take_back(self) -> None:
        self.full = None
        self.split.insertWidget(0, self.stage)
        self.arrange(wide=self.width() >= _WIDE)
        if not self.isVisible():
            self.replaying.stop(self)

    def _connect(self) -> None:
        bar, replaying = self.bar, self.replaying
        bar.chosen = self._typed
        bar.previous.clicked.connect(lambda: replaying.go_beside(-1))
        bar.next.clicked.connect(lambda: replaying.go_beside(1))
        bar.last.clicked.connect(lambda: replaying.go_to(replaying.book.last))
        bar.best.clicked.connect(lambda: replaying.go_to(replaying.book.best))
        bar.worst.clicked.connect(lambda: replaying.go_to(replaying.book.worst))
        bar.follow.toggled.connect(replaying.set_follow)
        self.episodes.clicked.connect(lambda index: self._pick(index.row()))
        self.episodes.activated.connect(lambda index: self._pick(index.row()))
        self.beside_button.clicked.connect(self.beside.toggle)
        self.beside.changed.connect(self._show_beside)
        self.buttons.add("full", "Full screen (F)", self.toggle_full_screen)
        replaying.listed.connect(self._show_book)
        replaying.closed.connect(self._closed)
        replaying.opening.connect(self._opening)
        replaying.ready.connect(self._ready)
        replaying.painted.connect(self._painted)
        replaying.view_changed.connect(self._show_view)
        replaying.refused.connect(self._refused)
        replaying.broken.connect(self._broken)
        replaying.follow_changed.connect(lambda: bar.follow.setChecked(replaying.follow))
        self.transport.changed.connect(self._moved)
        # Once the tab is in front: a widget that cannot be seen takes no keys.
        self._context.asks.replay.connect(lambda *_: QTimer.singleShot(0, self.view, self.view.setFocus))

    def _typed(self, episode: int) -> None:
        self.replaying.go_to(episode)
        self.view.setFocus()  # the number is typed: from now on keys move the episode again

    def _pick(self, line: int) -> None:
        book = self.replaying.book
        at = len(book) - 1 - line
        if 0 <= at < len(book):
            self.replaying.go_to(int(book.index[at]))

    # ---- what becomes of it ----

    def _show_book(self) -> None:
        book = self.replaying.book
        self.bar.show_book(book)
        self.episodes.rows.fill(len(book), self._episode_cells)
        if self.replaying.projector is None:
            self._explain()

    def _closed(self) -> None:
        self.timeline.load(np.empty(0))
        self.steps.rows.replace(0, lambda _: ())
        self.bar.close_episode()
        self.view.clear()
        self._show_view()
        self._explain()

    def _opening(self, done: int, of: int) -> None:
        episode = self.replaying.episode or 0
        self.bar.show_number(episode)
        self.stack.setCurrentWidget(self.notice)
        self.notice.say(
            f"Opening episode {count(episode)}",
            "It is simulated again in a process of its own and compared with the record.",
            offers=(("Cancel", self.replaying.let_go),),
            progress=(done, of),
        )

    def _ready(self) -> None:
        opened, run_id = self.replaying.opened, self.replaying.run_id
        if opened is None or run_id is None:
            return
        self._load_timeline()
        self._show_xray()
        self.steps.rows.replace(opened.last + 1, self._step_cells)
        self.bar.show_opened(opened)
        self._show_view()
        allowed = self.replaying.allowed
        self.export_bar.offer(self._context.root.run(run_id), opened.row.index, allowed=allowed)
        self._explain()

    def _painted(self) -> None:
        if show(self.view, self.replaying.shown, view=self.replaying.view):
            self.stack.setCurrentWidget(self.beside_view if self.beside.on else self.view)

    def _load_timeline(self) -> None:
        opened, pair = self.replaying.opened, self.beside.pair
        if opened is not None:
            rewards = np.array([row.reward for row in opened.steps], np.float64)
            step = opened.verdict.step
            self.timeline.load(
                rewards if pair is None else padded(rewards, pair.last),
                diverged=None if opened.verdict.exact or step is None else step + 1,
                values=values_of(opened.insights, opened.last + 1),
            )

    def _show_beside(self) -> None:
        """Two episodes or one; and whether there could be two."""
        beside = self.beside
        self.beside_button.setChecked(beside.on)
        self.beside_button.setEnabled(beside.on or bool(beside.found))
        self.beside_button.setToolTip(
            "Show the original and its branch side by side (B)"
            if beside.found
            else "This episode was not branched from another, and has no branch yet"
        )
        self._load_timeline()
        if self.stack.currentWidget() in (self.view, self.beside_view):
            self.stack.setCurrentWidget(self.beside_view if beside.on else self.view)

    def _show_view(self) -> None:
        """Which views there are, and which one is shown."""
        opened = self.replaying.opened
        there = () if opened is None else opened.views
        self.views.clear()
        for view in there:
            self.views.addItem(TITLES[view], view)
        self.views.setCurrentIndex(self.views.findData(self.replaying.view))
        self.views.setVisible(len(there) > 1)
        self.export_bar.set_view(self.replaying.view)

    def _refused(self, why: str, module: str) -> None:
        self.stack.setCurrentWidget(self.notice)
        replaying = self.replaying
        if module:
            self.notice.say(
                "This replay needs your consent",
                f"Its environment comes from the module '{module}', which would be imported and run in a "
                "process of its own. Allow it only if you trust it.",
                offers=((f"Allow importing {module} for this run", lambda: replaying.allow(module)),),
            )
        else:
            offers = (("Try again", replaying.open_again),)
            self.notice.say("This episode cannot be replayed", why, offers=offers)

    def _broken(self, why: str) -> None:
        self.stack.setCurrentWidget(self.notice)
        self.notice.say("No frame", why, offers=(("Open the episode again", self.replaying.open_again),))

    def _moved(self) -> None:
        self._show_xray()
        opened = self.replaying.opened
        position = self.transport.position if opened is None else min(self.transport.position, opened.last)
        if opened is not None and self.steps.currentIndex().row() != position:
            self.steps.setCurrentIndex(self.steps.rows.index(position, 0))

    # ---- in words ----

    def _explain(self) -> None:
        """What the stage says while no frame can be there."""
        ready = self.replaying.opened is not None
        for widget in (self.timeline, self.buttons):
            widget.setEnabled(ready)
        if not ready:
            self.export_button.setChecked(False)
            self.branch_button.setChecked(False)
        if self.replaying.projector is not None:
            return
        self.stack.setCurrentWidget(self.notice)
        run_id, book = self.replaying.run_id, self.replaying.book
        row = self._context.runs.get(run_id)
        if run_id is None:
            self.notice.say("No run chosen", "Choose a run in the list to replay its episodes.")
        elif len(book):
            self.notice.say(
                f"{count(len(book))} episodes can be replayed",
                "Choose one below, or begin with the newest.",
                offers=(
                    ("Replay the last episode", lambda: self.replaying.go_to(book.last)),
                    ("Replay the best", lambda: self.replaying.go_to(book.best)),
                ),
            )
        elif row is not None and row.state in ENDED:
            self.notice.say("Nothing to replay", "This run has ended without finishing an episode.")
        else:
            self.notice.say(
                "No finished episode yet", "Each episode of this run can be replayed here once it has ended."
            )

    def _episode_cells(self, line: int) -> tuple[str, ...]:
        book = self.replaying.book
        at = len(book) - 1 - line
        if not 0 <= at < len(book):
            return ()
        return count(int(book.index[at])), number(float(book.returns[at])), count(int(book.steps[at]))

    def _step_cells(self, line: int) -> tuple[str, ...]:
        opened = self.replaying.opened
        if line == 0 or opened is None or line > opened.last:
            return ("0", "reset")
        action, reward, flags, obs = value_cells(opened.steps[line - 1])
        return count(line), action, reward, flags, obs


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
