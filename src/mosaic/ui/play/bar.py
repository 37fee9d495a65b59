"""Qt view of `Playing`: the controls of the session in focus, below its frame. Hidden without a session."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from mosaic.ui.play.deploy_bar import DeployBar
from mosaic.ui.play.keyboard import Keyboard
from mosaic.ui.play.keys_view import KeysView
from mosaic.ui.play.line import Line
from mosaic.ui.play.seats_view import SeatsView
from mosaic.ui.play.sliders import Sliders
from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.theme import GAP, TIGHT, tone
from mosaic.ui.shell.widgets.bits import Note, is_restyling
from mosaic.ui.shell.widgets.controls import choice, tool
from mosaic.ui.shell.widgets.icons import icon
from mosaic_worker.common.hands import PERSON

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from mosaic.ui.live.tab import LiveTab
    from mosaic.ui.play.model.playing import Playing
    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.widgets.scene_view import SceneView

__all__ = ["PlayBar"]

_PACES = {"turn": "Turn by turn", "tick": "At a tick", "free": "As fast as it goes"}
_MOST_SEED = 2**31 - 1


class PlayBar(QWidget):
    """Qt view of Playing.

    Args:
        context: shared by all parts of the window.
        playing: the session in focus.
        tab: where its frames are shown; the bar stands below them.
    """

    def __init__(self, context: Context, playing: Playing, tab: LiveTab) -> None:
        super().__init__()
        self.setAccessibleName("Controls of the session")
        self._context, self._tab = context, tab
        self._playing = self.playing = playing
        self._paused: bool | None = None
        self.line = Line(context, playing)
        self.line.setParent(self)  # dies with it, on its thread, and not whenever Python tidies up
        self.keyboard = Keyboard(playing, tab)
        self.headline, self.trouble = Note(), Note(meaning="bad")
        self.badge = QLabel()
        self.badge.setTextFormat(Qt.TextFormat.PlainText)
        self.badge.setObjectName("captured")
        self.seats = SeatsView()
        self.seats.toggled.connect(lambda actor, take: (playing.take if take else playing.give)(actor))
        self.keys = KeysView(context, playing)
        self.sliders = Sliders(playing)
        self.deploy = DeployBar(context, playing)
        self.deploy.sent.connect(self._deployed)
        self._make_buttons()
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        column.setSpacing(TIGHT)
        column.addLayout(
            self._row(self.take, self.pause, self.step, self.slower, self.faster, None, self.other, self.stop)
        )
        column.addLayout(self._row(self.pace, self.seed, self.reset, None, self.badge))
        for widget in (self.deploy, self.headline, self.trouble, self.seats, self.sliders, self.keys):
            column.addWidget(widget)
        playing.changed.connect(self.refresh)
        playing.stood.connect(tab.look_now)
        playing.taken.connect(self._focus)
        self._unhear = [
            context.selection.changed.connect(self._follow),
            context.runs.changed.connect(lambda _: self._follow()),
            tab.live.changed.connect(self._follow),
        ]
        tab.add_below(self)
        tab.guests = self.commands()
        self.plays_on(tab.view.scene)
        self.refresh()

    def _follow(self) -> None:
        """The session in focus, once somebody looks; it stays ours while they look at another tab."""
        focus = self._context.selection.focus
        if self._tab.isVisible() or focus != self.line.run_id:
            self.line.show(self._context.runs.get(focus) if self._tab.isVisible() else None)

    def _focus(self) -> None:
        """The keyboard goes where it is played; to the tab itself while there is no frame yet."""
        shown = self._tab.view
        (shown if shown.isVisible() else self._tab).setFocus()

    def _deployed(self) -> None:
        self.other.setChecked(False)
        self._focus()

    def plays_on(self, scene: SceneView) -> None:
        """Clicks on this scene are actions while a seat is ours; one that is none says why."""
        playing = self._playing
        scene.chosen.connect(playing.clicked)
        scene.refused.connect(playing.missed)
        could = [False]

        def show() -> None:
            can = playing.seat is not None
            if can is not could[0]:  # told only when it changes: a move that was begun is forgotten by it
                could[0] = can
                scene.set_playable(can)

        playing.changed.connect(show)

    def shut(self) -> None:
        """Let the session go, for good. Twice is fine."""
        for unhear in self._unhear:
            unhear()
        self.line.close()

    def _make_buttons(self) -> None:
        playing = self._playing
        self.take = QPushButton("Take over")
        self.take.setToolTip("T. Decide yourself from the next step on, or give the seat back")
        self.take.clicked.connect(playing.toggle_taken)
        self.pause = tool("", tip="Pause or go on (P)", act=playing.pause_or_go)
        self.step = tool("", tip="One step (N)", act=playing.step)
        self.slower = tool("-", tip="Slower ([)", act=playing.slower)
        self.faster = tool("+", tip="Faster (])", act=playing.faster)
        self.pace = choice(_PACES, tip="What the session waits for before each step", name="Pace")
        self.pace.activated.connect(lambda _: playing.set_pace(self.pace.currentData()))
        self.seed = QLineEdit()
        self.seed.setPlaceholderText("seed")
        self.seed.setAccessibleName("Seed of the next episode; empty: as planned")
        self.seed.setValidator(QIntValidator(0, _MOST_SEED, self.seed))
        self.seed.setFixedWidth(self.seed.fontMetrics().averageCharWidth() * 14)
        self.seed.returnPressed.connect(self._reset)
        self.reset = QPushButton("Reset")
        self.reset.setToolTip("Cut this episode and begin anew (Ctrl+Shift+R)")
        self.reset.clicked.connect(self._reset)
        self.other = QPushButton("Deploy…")
        self.other.setCheckable(True)
        self.other.setToolTip("Put another operator into a seat (Ctrl+D)")
        self.other.toggled.connect(self.deploy.setVisible)
        self.stop = QPushButton("Stop")
        self.stop.setToolTip("End the session")
        self.stop.clicked.connect(playing.quit)
        for button in (
            self.take,
            self.pause,
            self.step,
            self.slower,
            self.faster,
            self.reset,
            self.other,
            self.stop,
        ):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard where it is
        self.step.setIcon(icon("forward"))
        self._tint()

    @staticmethod
    def _row(*widgets: QWidget | None) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(TIGHT)
        for widget in widgets:
            row.addStretch(1) if widget is None else row.addWidget(widget)
        return row

    # -- what can be done --------------------------------------------------------------------------

    def commands(self) -> list[Action]:
        """What a user can do with the session in focus, for menus, palette and keys."""
        playing = self._playing
        action = partial(Action, scope="live", when=lambda: playing.connected)
        return [
            action(id="session.take", title="Take over, or give back", call=playing.toggle_taken,
                   keys=("T", "Ctrl+T")),
            action(id="session.pause", title="Pause the session, or go on", call=playing.pause_or_go,
                   keys=("P", "Ctrl+Space")),
            action(id="session.step", title="One step of the session", call=playing.step,
                   keys=("N", "Ctrl+N")),
            action(id="session.slower", title="Slower", call=playing.slower, keys=("[", "Ctrl+[")),
            action(id="session.faster", title="Faster", call=playing.faster, keys=("]", "Ctrl+]")),
            action(id="session.reset", title="Cut the episode and begin anew", call=self._reset,
                   keys=("Ctrl+Shift+R",)),
            action(id="session.deploy", title="Put another operator into a seat…", call=self.other.toggle,
                   keys=("D", "Ctrl+D")),
            action(id="session.keys", title="Change the keys of this environment…", call=self.keys.edit),
            action(id="session.quit", title="End the session", call=playing.quit),
        ]  # fmt: skip

    def _reset(self) -> None:
        text = self.seed.text().strip()
        self._playing.reset(int(text) if text else None)

    # -- what is shown -----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show it as it stands."""
        playing, now = self._playing, self._playing.now
        self.setVisible(playing.connected)
        self.deploy.refresh()
        if not playing.connected:
            self.other.setChecked(False)
            return
        self.headline.say(playing.headline)
        self.trouble.say(playing.trouble)
        self.seats.show_seats(playing.seats)
        self.keys.refresh()
        self.sliders.refresh()
        self._show_take()
        self._show_badge()
        for button in (self.pause, self.step, self.pace, self.seed, self.reset, self.other, self.stop):
            button.setEnabled(now is not None)
        for widget in (self.reset, self.seed):
            widget.setVisible(playing.allows("reset"))
        self.stop.setVisible(playing.allows("quit"))
        self.other.setVisible(playing.allows("deploy"))
        if now is not None:
            self._show_paused()
            self.slower.setEnabled(now.pace != "turn")
            self.faster.setEnabled(now.pace != "free")
            at = self.pace.findData(now.pace)
            if at != self.pace.currentIndex() and not self.pace.view().isVisible():
                self.pace.setCurrentIndex(at)

    def _show_take(self) -> None:
        playing = self._playing
        target, seat = playing.target, playing.seat
        if seat is None:
            said = "Take over"
        elif seat.operator == PERSON:
            said = "Leave the keyboard" if playing.captured else "Play on"
        else:
            said = "Give back"
        if target is not None and len(playing.seats) > 1:
            said = f"{said}: {target.actor}"
        self.take.setText(said)
        self.take.setEnabled(target is not None)

    def _show_badge(self) -> None:
        said = self._playing.badge
        if said != self.badge.text():
            self.badge.setText(said)
            self.badge.setAccessibleName(said)
            self._tint()
        self.badge.setVisible(bool(said))

    def changeEvent(self, event: QEvent) -> None:
        """Another theme, other colours."""
        super().changeEvent(event)
        if is_restyling(event):
            QTimer.singleShot(0, self, self._tint)

    def _tint(self) -> None:
        colour = tone("accent" if self._playing.captured else "quiet").name()
        line = f"1px solid {colour}; border-radius: 4px"
        self.badge.setStyleSheet(f"color: {colour}; border: {line}; padding: 2px 6px; font-weight: 600")
        self.step.setIcon(icon("forward", self.palette()))
        self._paused = None
        self._show_paused()

    def _show_paused(self) -> None:
        now = self._playing.now
        if now is not None and now.paused != self._paused:  # a sign is drawn anew only for another one
            self._paused = now.paused
            self.pause.setIcon(icon("play" if now.paused else "pause", self.palette()))
