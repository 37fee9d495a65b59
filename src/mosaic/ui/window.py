"""The window: docks around the render tabs, a banner, a line of news. It holds the parts, decides nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QLabel,
    QMainWindow,
    QSizePolicy,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from mosaic.errors import MosaicError
from mosaic.protocol.runs import ENDED
from mosaic.text import count
from mosaic.ui.shell import layout
from mosaic.ui.shell.banner import Banner
from mosaic.ui.shell.key_help import KeyHelp
from mosaic.ui.shell.keys import Keys
from mosaic.ui.shell.menus import make_menus
from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.model.link import LinkState
from mosaic.ui.shell.palette import Palette
from mosaic.ui.shell.toast_line import ToastLine

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent

    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.theme import Choice

__all__ = ["Window"]

_REMEMBER_MILLIS = 2000
_CHOSEN_KEPT = 50
_LOOKS: tuple[tuple[Choice, str], ...] = (
    ("system", "Theme: follow the system"),
    ("light", "Theme: light"),
    ("dark", "Theme: dark"),
)


class Window(QMainWindow):
    """Qt view of everything. Made with a context; `close` lets go of the parts but not of the context.

    Args:
        context: what its parts share.
        filled: False for a window that only says that it opens, until `fill` is called: loading the parts
            takes longer than a newcomer should look at nothing.
    """

    theme_chosen = Signal(str)

    def __init__(self, context: Context, *, filled: bool = True) -> None:
        super().__init__()
        self._context = context
        self._filled = False
        self._remembered = layout.load(context.root)
        self.setWindowTitle("MOSAIC")
        self.setObjectName("window")
        self.setMinimumSize(960, 600)
        self.setDockNestingEnabled(True)
        self._restore_size()
        if filled:
            self.fill()
        else:
            opening = QLabel("Opening…")
            opening.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self.setCentralWidget(opening)

    def fill(self) -> None:
        """Load and make the parts. Once."""
        context = self._context
        self._make_parts()
        self._make_centre()
        self._make_docks()
        self._make_foot()
        self._make_actions()
        context.runs.changed.connect(lambda _: self._show_welcome())
        context.asks.watch.connect(self._watch)
        context.asks.replay.connect(lambda *_: self.show_part(self.replay))  # which brings it into focus
        context.asks.launch.connect(lambda *_: self.show_part(self.launch))
        context.asks.run_script.connect(lambda: self.show_part(self.launch))
        context.asks.train_from.connect(lambda *_: self.show_part(self.launch))
        context.asks.resume.connect(lambda _: self.show_part(self.launch))
        context.asks.evaluate.connect(lambda *_: self.show_part(self.launch))
        self.welcome.changed.connect(self._show_welcome)
        context.asks.compare.connect(lambda: self.show_part(self.charts))
        self._restore()
        self._show_welcome()
        self._choosing = context.runs.changed.connect(lambda _: self._choose_first())
        self._choose_first()
        self._remembering = QTimer(self, interval=_REMEMBER_MILLIS)
        self._remembering.timeout.connect(self.remember)
        self._remembering.start()
        self._filled = True

    def sizeHint(self) -> QSize:
        """The size of the first time, within the screen."""
        return QSize(1280, 800)

    def show_part(self, part: QWidget) -> None:
        """Bring one part to the front, wherever it is."""
        if part is self.launch:
            self.modes.modes.choose("agent")
            part = self.modes
        for tabs in (self.centre, self.left_tabs, self.right_tabs):
            if tabs.indexOf(part) >= 0:
                tabs.setCurrentWidget(part)
                dock = self._dock_of.get(tabs)
                if dock is not None:
                    dock.show()
                    dock.raise_()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how things stood. What was to be deleted and still could be undone is not."""
        if self._filled:
            self.remember()
            self.keys.close()
            for part in (self.play, self.side_by_side, self.live, self.telemetry, self.replay):
                part.shut()
        super().closeEvent(event)

    @property
    def tabs_in_order(self) -> list[tuple[str, QWidget]]:
        """Every part that is a tab, as the keys count them: centre, right, left; the tenth has Ctrl+0."""
        groups = (self.centre, self.right_tabs, self.left_tabs)
        pages = [(tabs.tabText(at), tabs.widget(at)) for tabs in groups for at in range(tabs.count())]
        found = [(title, page) for title, page in pages if page is not None]
        return sorted(found, key=lambda one: one[1] is self.side_by_side)  # stable: the others as they are

    def set_theme(self, choice: Choice) -> None:
        """Follow the system, or force one look; remembered."""
        self._remembered = msgspec.structs.replace(self._remembered, theme=choice)
        self.theme_chosen.emit(choice)

    def toggle_full_screen(self) -> None:
        """The whole screen, or a window again."""
        self.leave() if self.isFullScreen() else self.showFullScreen()

    def leave(self) -> None:
        """Be a window again."""
        self.showNormal()

    def remember(self) -> None:
        """Write down geometry, docks, tabs and chosen runs for the next time, when they are other ones."""
        selection = self._context.selection
        chosen = sorted(
            selection.chosen, key=lambda run_id: run_id == selection.focus
        )  # stable: it is the last
        kept = msgspec.structs.replace(
            self._remembered,
            geometry=layout.Layout.text(bytes(self.saveGeometry().data())),
            docks=layout.Layout.text(bytes(self.saveState().data())),
            tabs={tabs.objectName(): tabs.currentIndex() for tabs in self._tabs},
            chosen=chosen[-_CHOSEN_KEPT:],
            sort=self.runs.table.sort,
            group=self.runs.table.group,
            mode=self.modes.modes.mode,
            views=self._context.views.kept,
        )
        if kept != self._remembered:
            self._remembered = kept
            try:
                layout.save(self._context.root, kept)
            except (OSError, MosaicError) as error:
                self._remembering.stop()
                self._context.toasts.say(f"The window's layout is not remembered: {error}", level="bad")

    # Putting it together.

    def _make_parts(self) -> None:
        from mosaic.ui.parts import make_parts

        self._parts = parts = make_parts(self._context)
        self.runs, self.launch, self.live, self.telemetry, self.replay = parts[:5]
        self.charts, self.details, self.episodes, self.checkpoints = parts[5:9]
        self.logs, self.welcome, self.play, self.modes = parts[9:13]
        self.side_by_side = parts.side_by_side
        self.banner = Banner(self._context.link)

    def _make_centre(self) -> None:
        self.centre = _tabs(
            "centre",
            (self.live, "Live"),
            (self.telemetry, "Telemetry"),
            (self.replay, "Replay"),
            (self.side_by_side, "Sessions"),
        )
        self.stack = QStackedWidget()
        self.stack.addWidget(self.welcome)
        self.stack.addWidget(self.centre)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self.stack, 1)
        self.setCentralWidget(middle)

    def _make_docks(self) -> None:
        area = Qt.DockWidgetArea
        self.left_tabs = _tabs("left", (self.runs, "Runs"), (self.modes, "Launch"))
        self.right_tabs = _tabs(
            "right",
            (self.charts, "Charts"),
            (self.details, "Details"),
            (self.episodes, "Episodes"),
            (self.checkpoints, "Checkpoints"),
        )
        self._tabs = (self.centre, self.left_tabs, self.right_tabs)
        self.left = self._dock("Runs and launch", "dock-left", self.left_tabs, area.LeftDockWidgetArea)
        self.right = self._dock("Inspect", "dock-right", self.right_tabs, area.RightDockWidgetArea)
        self.bottom = self._dock("Log", "dock-log", self.logs, area.BottomDockWidgetArea)
        self._dock_of = {self.left_tabs: self.left, self.right_tabs: self.right}
        self.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)

    def _make_foot(self) -> None:
        self.toast_line = ToastLine(self._context.toasts)
        self.status = QLabel()
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setAccessibleName("State of the daemon and the runs")
        self.status.setContentsMargins(0, 0, 8, 0)
        self.statusBar().addWidget(self.toast_line, 1)
        self.statusBar().addPermanentWidget(self.status)
        self.statusBar().setSizeGripEnabled(False)
        self._context.link.changed.connect(self._show_status)
        self._context.runs.changed.connect(lambda _: self._show_status())
        self._show_status()

    def _make_actions(self) -> None:
        self.palette_sheet = Palette(self, self._context)
        self.key_sheet = KeyHelp(self, self._context.actions)
        self.keys = Keys(self, self._context.actions)
        for name, part in self.tabs_in_order:
            self.keys.add_scope(name.lower(), part)
        self.keys.add_scope("log", self.logs)
        self.keys.capture_for(self.play.keyboard)
        for part in self._parts:
            offered = getattr(part, "commands", None)
            if offered is not None and part is not self.launch:  # the modes offer what it can do
                self._context.actions.add(*offered())
        self._context.actions.add(*self._actions())
        make_menus(self.menuBar(), self._context.actions)

    def _actions(self) -> list[Action]:
        """The sections View and Help: which part is in front, which docks are there, how it looks."""
        parts = [
            Action(
                id=f"view.{name.lower()}",
                title=f"Show {name}",
                call=partial(self.show_part, part),
                keys=(f"Ctrl+{at % 10}",),
            )
            for at, (name, part) in enumerate(self.tabs_in_order, start=1)
        ]
        docks = [
            Action(id=f"view.{name}", title=f"Show or hide {text}", call=partial(_toggle, dock), keys=(key,))
            for name, text, dock, key in (
                ("left", "runs and launch", self.left, "Ctrl+B"),
                ("right", "charts and details", self.right, "Ctrl+Shift+B"),
                ("log", "the log", self.bottom, "Ctrl+J"),
            )
        ]
        looks = [
            Action(id=f"view.theme_{choice}", title=title, call=partial(self.set_theme, choice))
            for choice, title in _LOOKS
        ]
        find, keys = self.palette_sheet.open, self.key_sheet.open
        return [
            *parts,
            *docks,
            Action(id="view.arrange", title="Put all docks back", call=self.arrange),
            Action(id="view.full", title="Full screen", call=self.toggle_full_screen, keys=("F11",)),
            Action(
                id="view.leave",
                title="Leave full screen",
                call=self.leave,
                keys=("Esc",),
                when=self.isFullScreen,
                hidden=True,
            ),
            *looks,
            Action(id="view.quit", title="Close the window (runs go on)", call=self.close, keys=("Ctrl+Q",)),
            Action(id="help.palette", title="Find an action or a run…", call=find, keys=("Ctrl+K",)),
            Action(id="help.keys", title="Keys", call=keys, keys=("?", "F1")),
        ]

    def _dock(self, title: str, name: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setAccessibleName(title)
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        return dock

    def _restore_size(self) -> None:
        if not self.restoreGeometry(QByteArray(layout.Layout.bytes(self._remembered.geometry))):
            room = self.screen().availableSize()
            self.resize(min(1280, room.width()), min(800, room.height()))

    def _restore(self) -> None:
        kept = self._remembered
        if not self.restoreState(QByteArray(layout.Layout.bytes(kept.docks))):
            self.arrange()
        self.runs.set_order(sort=kept.sort, group=kept.group)
        self.modes.modes.choose(kept.mode)
        self._context.views.restore(kept.views)
        for tabs in self._tabs:
            tabs.setCurrentIndex(min(max(kept.tabs.get(tabs.objectName(), 0), 0), tabs.count() - 1))

    def arrange(self) -> None:
        """Put every dock where it was the first time."""
        area = Qt.DockWidgetArea
        for dock, side in (
            (self.left, area.LeftDockWidgetArea),
            (self.right, area.RightDockWidgetArea),
            (self.bottom, area.BottomDockWidgetArea),
        ):
            dock.setFloating(False)
            self.addDockWidget(side, dock)
            dock.show()
        wide = self.width()
        self.resizeDocks(
            [self.left, self.right],
            [max(330, wide * 20 // 100), max(390, wide * 28 // 100)],
            Qt.Orientation.Horizontal,
        )
        self.resizeDocks([self.bottom], [max(150, self.height() * 20 // 100)], Qt.Orientation.Vertical)

    def _show_welcome(self) -> None:
        wanted = self.welcome.asked or not len(self._context.runs)
        self.stack.setCurrentWidget(self.welcome if wanted else self.centre)

    def _choose_first(self) -> None:
        """Once the runs are known: choose what was chosen the last time, else the newest run."""
        rows = self._context.runs.rows
        if not rows:
            return
        self._choosing()
        if not self._context.selection.chosen:
            kept = [
                run_id for run_id in self._remembered.chosen if self._context.runs.get(run_id) is not None
            ]
            self._context.selection.choose(kept or [rows[0].run_id], focus=kept[-1] if kept else None)

    def _show_status(self) -> None:
        rows = self._context.runs.rows
        alive = sum(row.state not in ENDED for row in rows)
        said = {
            LinkState.CONNECTED: "Daemon connected",
            LinkState.CONNECTING: "Connecting…",
            LinkState.LOST: "Daemon gone",
        }
        runs = f"{count(len(rows))} run{'' if len(rows) == 1 else 's'}, {count(alive)} live"
        self.status.setText(f"{runs}   {said[self._context.link.state]}")

    def _watch(self, run_id: str) -> None:
        if self._context.selection.focus != run_id:
            self._context.selection.choose([run_id])
        self.show_part(self.live)


def _tabs(name: str, *parts: tuple[QWidget, str]) -> QTabWidget:
    tabs = QTabWidget()
    tabs.setObjectName(name)
    tabs.setDocumentMode(True)
    tabs.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    for widget, title in parts:
        widget.setAccessibleName(title)
        tabs.addTab(widget, title)
    return tabs


def _toggle(dock: QDockWidget) -> None:
    dock.setVisible(not dock.isVisible())
    if dock.isVisible():
        dock.raise_()
