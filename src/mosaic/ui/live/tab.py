"""Qt view of `Live`: the run in focus as it is, and the price of watching. Hidden, it asks for nothing."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QActionGroup, QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mosaic.fastlane import png
from mosaic.runs.files import make_private, write_atomically
from mosaic.ui.live.hud_strip import HudStrip
from mosaic.ui.live.model import Phase, hud
from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.model.views import FRAME, TITLES
from mosaic.ui.shell.theme import GAP, TIGHT
from mosaic.ui.shell.widgets.controls import choice, tool
from mosaic.ui.shell.widgets.frame_view import pixels_of
from mosaic.ui.shell.widgets.full_screen import FullScreen
from mosaic.ui.shell.widgets.icons import icon
from mosaic.ui.shell.widgets.notice import Notice
from mosaic.ui.shell.widgets.surface import Surface

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import numpy.typing as npt
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.ui.live.model import Live, OnScreen
    from mosaic.ui.shell.context import Context

__all__ = ["LiveTab"]

T = TypeVar("T")

_GRIDS = (4, 9, 16, 36, 64)
_RATES = tuple((f"{rate} frames/s", float(rate)) for rate in (5, 10, 15, 30, 60))
_SCALINGS = (("Automatic", None), ("Smooth", True), ("Sharp pixels", False))
_HUD_NANOS = 100_000_000  # numbers that change more often cannot be read
_HUD = (
    ("Environment", "The one whose frame came last, and how many are shown"),
    ("Episode", "Episodes this environment has begun in its process"),
    ("Step", "Steps of this episode"),
    ("Reward", "Of the last step"),
    ("Return", "Sum of the rewards of this episode"),
    ("Size", "Width and height of a frame"),
    ("Steps/s", "Steps a second of the process, while it is watched"),
    ("Unwatched", "Steps a second it would make if nobody watched"),
    ("Price", "How much of its speed the run gives for being watched"),
    ("Render", "How long the environment took to draw the frame"),
    ("Age", "How old the frame on screen is"),
)


class LiveTab(QWidget):
    """Live frames of the run in focus. Hidden or paused, it lets the run's lease go at once.

    Args:
        context: shared by all parts of the window.
        live: what is shown, and why not.
    """

    def __init__(self, context: Context, live: Live) -> None:
        super().__init__()
        self._context = context
        self.live = live
        self.view = Surface("Live frame")
        self.notice = Notice()
        self.strip = HudStrip(_HUD)
        self.guests: list[Action] = []
        """What other parts can do here: their keys work on the full screen too."""
        self._full: FullScreen | None = None
        self._closed = False
        self._hud_at = 0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._make()
        self.live.changed.connect(self._show_state)
        self._heard = [
            context.selection.changed.connect(self._follow),
            context.runs.changed.connect(lambda _: self._follow()),
        ]
        self._follow()

    # ---- putting it together ----

    def _make(self) -> None:
        self._choices: list[tuple[int | None, int | None]] = []
        self.envs = choice({}, tip="Environments shown")
        self.envs.activated.connect(self._choose_env)
        self.zoom = choice({"fit": "Fit", "actual": "1:1", "whole": "Whole pixels"}, tip="Zoom")
        self.zoom.activated.connect(lambda _: self.view.set_zoom(self.zoom.currentData()))
        self.views = choice(TITLES, tip="What is shown (V)", name="View")
        self.views.activated.connect(lambda _: self.live.choose_view(self.views.currentData()))
        self.pause = QPushButton("Pause view")
        self.pause.setToolTip("Space. The run goes on and renders nothing.")
        self.pause.clicked.connect(self.toggle_held)
        self.shot = _menu_button("Frame", "Save or copy the frame")
        for text, call in (
            ("Save in the run's folder", self.save_screenshot),
            ("Save as…", self.save_as),
            ("Copy", self.copy_frame),
        ):
            self.shot.menu().addAction(text, call)
        self.how = _menu_button("View", "How frames are drawn, and how many a second")
        self._add_choices("Scaling", _SCALINGS, self.view.set_smooth, now=None)
        self._add_choices("Most frames a second", _RATES, self.live.limit, now=30.0)
        self.full = QToolButton()
        self.full.setIcon(icon("full"))
        self.full.setAccessibleName("Full screen")
        self.full.setToolTip("Full screen (F)")
        self.full.clicked.connect(self.toggle_full_screen)
        tools = QHBoxLayout()
        tools.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        tools.setSpacing(TIGHT)
        tools.addWidget(self.envs)
        tools.addWidget(self.views)
        tools.addWidget(self.zoom)
        tools.addWidget(self.how)
        tools.addStretch(1)
        for button in (self.pause, self.shot, self.full):
            tools.addWidget(button)
        for button in (self.how, self.pause, self.shot, self.full):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.view)
        self.stack.addWidget(self.notice)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(tools)
        column.addWidget(self._make_line())
        column.addWidget(self.stack, 1)
        self._below = QVBoxLayout()
        column.addLayout(self._below)
        column.addWidget(self.strip)

    def _add_choices(
        self,
        title: str,
        choices: Sequence[tuple[str, T]],
        choose: Callable[[T], object],
        *,
        now: T,
    ) -> None:
        """A part of the view menu of which one is chosen."""
        menu = self.how.menu()
        menu.addSection(title)
        group = QActionGroup(menu)
        for text, value in choices:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(value == now)
            action.triggered.connect(lambda _=False, value=value: choose(value))
            group.addAction(action)

    def _make_line(self) -> QWidget:
        """What is said about a frame that is of the past."""
        self.line = QWidget()
        self.line_text = QLabel()
        self.line_text.setTextFormat(Qt.TextFormat.PlainText)
        self.line_text.setWordWrap(True)
        self.line_text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.line_button = QPushButton("Replay its last episode")
        self.line_button.clicked.connect(self._replay)
        row = QHBoxLayout(self.line)
        row.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        row.addWidget(self.line_text, 1)
        row.addWidget(self.line_button)
        self.line.hide()
        return self.line

    def _choose_env(self, line: int) -> None:
        env, most = self._choices[line]
        self.live.choose(env=env, most=most)

    # ---- what can be done ----

    def commands(self) -> list[Action]:
        """What a user can do here, for menus, palette and keys."""
        action = partial(Action, scope="live")
        of_a_frame = (
            ("screenshot", "Save the live frame in the run's folder", self.save_screenshot, "Ctrl+Shift+S"),
            ("copy", "Copy the live frame", self.copy_frame, "Ctrl+Alt+C"),
            ("full", "Live frame on the full screen", self.toggle_full_screen, "F"),
        )
        return [
            action(
                id="live.pause",
                title="Pause viewing, or watch again",
                call=self.toggle_held,
                keys=("Space", "K"),
            ),
            action(
                id="live.view",
                title="Frame, scene or text",
                call=self.live.choose_next_view,
                keys=("V",),
                when=lambda: len(self.live.offered) > 1,
            ),
            *(
                action(id=f"live.{name}", title=title, call=call, keys=(key,), when=self._has_frame)
                for name, title, call, key in of_a_frame
            ),
            action(
                id="live.replay",
                title="Replay the last episode of this run",
                call=self._replay,
                when=lambda: self.live.run_id is not None,
            ),
        ]

    def toggle_held(self) -> None:
        """Pause viewing, or watch again."""
        self.live.hold(not self.live.held)

    def save_screenshot(self) -> None:
        """The frame as PNG, in the run's folder."""
        run_id = self.live.run_id
        if run_id is not None:
            stamp = time.strftime("%Y%m%d-%H%M%S")
            folder = self._context.root.run(run_id).path / "screenshots"
            self._save(folder / f"live-{stamp}-{time.monotonic_ns() // 1_000_000 % 1000:03d}.png")

    def save_as(self) -> None:
        """The frame as PNG, wherever the user likes. Not modal."""
        shown = self.live.on_screen
        if shown is None:
            return
        dialog = QFileDialog(self, "Save the frame", str(Path.home() / "live.png"), "PNG (*.png)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setModal(False)
        pixels = self._pixels()
        dialog.fileSelected.connect(lambda name: self._save(Path(name), pixels))
        dialog.show()

    def copy_frame(self) -> None:
        """The frame on the clipboard, in its own size."""
        image = self.view.image
        if image is not None:
            QGuiApplication.clipboard().setImage(image)
            self._context.toasts.say("The frame is on the clipboard.", level="good")

    def toggle_full_screen(self) -> None:
        """The frame on the whole screen, and back."""
        if self._full is not None:
            self._full.leave()
            return
        self._full = FullScreen(self.view, actions=[*self.guests, *self.commands()], left=self._take_back)

    def _take_back(self) -> None:
        self._full = None
        self.stack.insertWidget(0, self.view)
        self._show_state()

    def _pixels(self) -> npt.NDArray[np.uint8] | None:
        """What is on screen: frames as they came, a scene as it is painted."""
        shown, image = self.live.on_screen, self.view.image
        if shown is None or shown.pixels is not None or image is None:
            return None if shown is None else shown.pixels
        return pixels_of(image)

    def _save(self, path: Path, pixels: npt.NDArray[np.uint8] | None = None) -> None:
        chosen = self._pixels() if pixels is None else pixels
        if chosen is None:
            return

        def work() -> Path:
            if not path.parent.exists():
                make_private(path.parent)
            write_atomically(path, png.encode(chosen), synced=False)
            return path

        self._context.ops.run(
            work, done=lambda saved: self._context.toasts.say(f"Saved {saved}", level="good")
        )

    def _replay(self) -> None:
        if self.live.run_id is not None:
            self._context.asks.replay.emit(self.live.run_id, None)

    def _has_frame(self) -> bool:
        return self.live.on_screen is not None

    # ---- what comes ----

    def _follow(self) -> None:
        if not self._closed:
            self.live.show(self._context.runs.get(self._context.selection.focus))

    def changeEvent(self, event: QEvent) -> None:
        """Another theme, other colours."""
        if event.type() == event.Type.PaletteChange:
            self.full.setIcon(icon("full", self.palette()))
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: ask for frames."""
        super().showEvent(event)
        self.live.want(not self._closed)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: let the lease go at once."""
        super().hideEvent(event)
        self.live.want(False)

    def shut(self) -> None:
        """Let everything go, for good. Twice is fine."""
        self._closed = True
        for unhear in self._heard:
            unhear()
        if self._full is not None:
            self._full.leave()
        self.live.want(False)
        self.live.close()

    def add_below(self, widget: QWidget) -> None:
        """Put something of another part below the frame."""
        self._below.addWidget(widget)

    def look_now(self) -> None:
        """The run has just said that it moved: take its frame at once, not at the next turn of the timer."""
        if self.live.watching:
            self._tick()

    def _tick(self) -> None:
        shown = self.live.on_screen if self.live.tick() else None
        if shown is not None:
            self._show(shown)
        now = time.monotonic_ns()
        if self.live.on_screen is not None and now >= self._hud_at:
            self._hud_at = now + _HUD_NANOS
            self.strip.show_values(hud(self.live.on_screen, now_nanos=now))

    def _show(self, shown: OnScreen) -> None:
        if shown.scene is not None:
            self.view.show_scene(shown.scene, view=self.live.view)
        elif shown.pixels is not None:
            self.view.show_pixels(shown.pixels)

    def _show_state(self) -> None:
        live = self.live
        millis = max(8, min(50, int(500 / live.fps)))  # twice as often as frames come
        if not live.watching:
            self._timer.stop()
        elif not self._timer.isActive() or self._timer.interval() != millis:
            self._timer.start(millis)
        said, shown = live.said(), live.on_screen
        if shown is None:
            self.view.clear()
            self.strip.clear()
        self.strip.setVisible(shown is not None)
        live_now = live.phase is Phase.SHOWING
        self.stack.setCurrentWidget(self.notice if shown is None else self.view)
        self.view.set_dimmed(shown is not None and not live_now)
        if live.phase is Phase.ENDED:
            self.notice.say(said.title, said.text, offers=(("Replay its last episode", self._replay),))
        elif live.phase is Phase.HELD:
            self.notice.say(said.title, said.text, offers=(("Watch again", self.toggle_held),))
        else:
            self.notice.say(said.title, said.text)
        self.line.setVisible(shown is not None and not live_now)
        if not live_now:
            self.strip.show_values([("Age", "-")])
        self.line_text.setText(f"{said.title}. {said.text}")
        self.line_button.setVisible(live.phase is Phase.ENDED)
        self._show_tools()

    def _show_tools(self) -> None:
        live = self.live
        self.pause.setText("Watch again" if live.held else "Pause view")
        self.pause.setEnabled(live.phase not in (Phase.NO_RUN, Phase.ENDED))
        self.shot.setEnabled(self._has_frame())
        self.full.setEnabled(self._has_frame())
        choices: list[tuple[int | None, int | None]] = []
        if len(live.envs) > 1:
            choices = [*((None, most) for most in _GRIDS), *((env, None) for env in live.envs)]
        if choices != self._choices:
            self._choices = choices
            self.envs.clear()
            self.envs.addItems(
                [f"Grid, up to {most}" if env is None else f"Environment {env}" for env, most in choices]
            )
            chosen = (live.env, None) if live.env is not None else (None, live.most)
            self.envs.setCurrentIndex(choices.index(chosen) if chosen in choices else 0)
        self.envs.setVisible(bool(choices))
        if [self.views.itemData(line) for line in range(self.views.count())] != list(live.offered):
            self.views.clear()
            for view in live.offered:
                self.views.addItem(TITLES[view], view)
        self.views.setCurrentIndex(self.views.findData(live.view))
        self.views.setVisible(len(live.offered) > 1)
        self.zoom.setEnabled(live.view == FRAME)
        shown = live.on_screen
        if shown is not None and shown.scene is not None and live.view != FRAME:
            self._show(shown)  # painted or as text: the same scene


def _menu_button(text: str, name: str) -> QToolButton:
    button = tool(text, tip=name)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setMenu(QMenu(button))
    return button
