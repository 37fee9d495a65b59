"""How the window looks: light and dark, following the system or forced; one small set of spacings.

The style is Fusion on every platform, so that what was tested is what people see. Widgets take colours from
the palette or from `tone`; nobody writes a colour of its own.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from mosaic.protocol.runs import RunState

__all__ = ["GAP", "INSET", "TIGHT", "Choice", "Theme", "Tone", "is_dark", "tone", "tone_of_state"]

TIGHT, GAP, INSET = 4, 8, 12
"""Between things that belong together, between groups, and from an edge; in device-independent pixels."""

Choice = Literal["system", "light", "dark"]
Tone = Literal["good", "bad", "warn", "busy", "quiet", "accent"]

_LIGHT = {
    "window": "#f3f4f6", "base": "#ffffff", "alt": "#f7f8fa", "text": "#1b1d21", "dim": "#5b616b",
    "button": "#fbfbfc", "line": "#cdd1d8", "accent": "#1668b8", "on_accent": "#ffffff", "tip": "#ffffff",
}  # fmt: skip
_DARK = {
    "window": "#26282c", "base": "#1e1f22", "alt": "#232529", "text": "#e6e8eb", "dim": "#a2a9b4",
    "button": "#33363b", "line": "#454950", "accent": "#3b82d6", "on_accent": "#ffffff", "tip": "#33363b",
}  # fmt: skip
_TONES: dict[Tone, tuple[str, str]] = {
    "good": ("#15703a", "#4ade80"),
    "bad": ("#b3261e", "#ff8a80"),
    "warn": ("#8a4b00", "#fbbf24"),
    "busy": ("#1668b8", "#7ab8ff"),
    "quiet": ("#5b616b", "#a2a9b4"),
    "accent": ("#1668b8", "#7ab8ff"),
}
_STATES: dict[RunState, Tone] = {
    RunState.QUEUED: "quiet",
    RunState.STARTING: "busy",
    RunState.RUNNING: "good",
    RunState.PAUSED: "warn",
    RunState.STOPPING: "warn",
    RunState.FINISHED: "busy",
    RunState.FAILED: "bad",
    RunState.STOPPED: "quiet",
    RunState.ORPHANED: "bad",
    RunState.LOST: "bad",
    RunState.UNREADABLE: "bad",
}


def is_dark(palette: QPalette | None = None) -> bool:
    """Whether this palette, by default the application's, is dark."""
    ground = (palette or QApplication.palette()).color(QPalette.ColorRole.Base)
    return ground.lightness() < 128


def tone(name: Tone, palette: QPalette | None = None) -> QColor:
    """A colour with a meaning, readable on the ground there is."""
    return QColor(_TONES[name][is_dark(palette)])


def tone_of_state(state: RunState) -> Tone:
    """What kind of news a run's state is."""
    return _STATES[state]


class Theme(QObject):
    """The application's look.

    Args:
        app: the application; it is restyled.
        choice: follow the system, or one look always.
    """

    changed = Signal(bool)
    """It is dark now (True) or light (False)."""

    def __init__(self, app: QApplication, choice: Choice = "system") -> None:
        super().__init__(app)
        self._app = app
        self.choice: Choice = choice
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._apply)
        self._apply()

    @property
    def dark(self) -> bool:
        """Whether the look is dark now."""
        if self.choice == "system":
            return self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self.choice == "dark"

    def choose(self, choice: Choice) -> None:
        """Follow the system from now on, or force one look."""
        self.choice = choice
        self._apply()

    def _apply(self) -> None:
        colours = _DARK if self.dark else _LIGHT
        self._app.setPalette(_palette(colours))
        self._app.setStyleSheet(_sheet(colours))
        self.changed.emit(self.dark)


def _palette(colours: dict[str, str]) -> QPalette:
    palette, role = QPalette(), QPalette.ColorRole
    for roles, name in (
        ((role.Window,), "window"),
        ((role.Base,), "base"),
        ((role.AlternateBase,), "alt"),
        ((role.Button,), "button"),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), "text"),
        ((role.ToolTipBase,), "tip"),
        ((role.Highlight, role.Accent, role.Link), "accent"),
        ((role.HighlightedText, role.BrightText), "on_accent"),
        ((role.PlaceholderText,), "dim"),
        ((role.Mid,), "line"),
    ):
        for one in roles:
            palette.setColor(one, QColor(colours[name]))
    for one in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, QColor(colours["dim"]))
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(colours["line"]))
    ground = QColor(colours["window"])
    palette.setColor(role.Light, ground.lighter(125))
    palette.setColor(role.Midlight, ground.lighter(112))
    palette.setColor(role.Dark, ground.darker(135))
    palette.setColor(role.Shadow, ground.darker(180))
    return palette


def _sheet(colours: dict[str, str]) -> str:
    return f"""
QToolTip {{ color: {colours["text"]}; background: {colours["tip"]}; border: 1px solid {colours["line"]};
  padding: 4px; }}
QDockWidget::title {{ padding: 5px 8px; background: {colours["window"]}; }}
QTabWidget::pane {{ border: none; border-top: 1px solid {colours["line"]}; }}
QTabBar {{ qproperty-drawBase: 0; }}
QTabBar::tab {{ padding: 6px 12px; border: none; border-bottom: 2px solid transparent;
  color: {colours["dim"]}; }}
QTabBar::tab:selected {{ color: {colours["text"]}; border-bottom: 2px solid {colours["accent"]}; }}
QTabBar::tab:hover {{ color: {colours["text"]}; }}
QTabBar::tab:focus {{ color: {colours["text"]}; background: {colours["alt"]}; }}
QStatusBar {{ border-top: 1px solid {colours["line"]}; }}
QStatusBar::item {{ border: none; }}
Overlay {{ background: {colours["window"]}; border: 1px solid {colours["line"]}; border-radius: 4px; }}
QMainWindow::separator {{ background: {colours["line"]}; width: 1px; height: 1px; }}
QMainWindow::separator:hover {{ background: {colours["accent"]}; }}
"""
