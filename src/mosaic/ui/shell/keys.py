"""Keys into actions, in one module: by where the focus is, and never while somebody is typing text.

While somebody plays, plain keys are theirs (`Captor`) and no commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from mosaic.ui.shell.model.actions import WINDOW

if TYPE_CHECKING:
    from mosaic.ui.shell.model.actions import Action, Actions

__all__ = ["Captor", "Keys", "key_text", "plain_key", "takes_text"]

_CHORD = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)
_TEXT_KEYS = frozenset({
    *(f"Ctrl+{key}" for key in ("A", "C", "V", "X", "Z", "Y", "Backspace", "Del")),
    *(f"Ctrl+{key}" for key in ("Left", "Right", "Home", "End")),
    *(f"Ctrl+Shift+{key}" for key in ("Left", "Right", "Home", "End", "Z")),
})  # fmt: skip
"""Chords that mean something to whoever edits a text."""
_LIST_KEYS = frozenset(
    {"Up", "Down", "Left", "Right", "Home", "End", "PgUp", "PgDown", "Space", "Return", "Enter"}
)
_PLAIN = {"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12"}


def key_text(event: QKeyEvent) -> str:
    """The key of an event as the actions write it: `Ctrl+K`, `Shift+Right`, `?`, `K`."""
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    typed = event.text()
    if not held & _CHORD and len(typed) == 1 and typed.isprintable() and not typed.isalnum() and typed != " ":
        return typed
    if event.key() in (
        Qt.Key.Key_unknown,
        Qt.Key.Key_Shift,
        Qt.Key.Key_Control,
        Qt.Key.Key_Alt,
        Qt.Key.Key_Meta,
    ):
        return ""
    return QKeySequence(int(held.value) | int(event.key())).toString(QKeySequence.SequenceFormat.PortableText)


def plain_key(event: QKeyEvent) -> str:
    """The key itself, whatever is held with it: `A`, `7`, `Left`, `Space`, `Shift`; empty without a name."""
    if event.key() == Qt.Key.Key_Shift:
        return "Shift"
    if event.key() in (Qt.Key.Key_unknown, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta):
        return ""
    return QKeySequence(int(event.key())).toString(QKeySequence.SequenceFormat.PortableText)


def takes_text(widget: QWidget | None) -> bool:
    """Whether what is typed goes into this widget as text."""
    if isinstance(widget, (QPlainTextEdit, QTextEdit, QLineEdit)):
        return not widget.isReadOnly()
    return isinstance(widget, QAbstractSpinBox) or (isinstance(widget, QComboBox) and widget.isEditable())


class Captor(Protocol):
    """Whoever plain keys belong to for a while. Chords with Ctrl, Alt or Meta stay the window's."""

    def takes(self, key: str, focus: QWidget) -> bool:
        """Whether this key is theirs now, with the focus there."""

    def pressed(self, key: str) -> None:
        """It went down; not called again for a key that repeats by itself."""

    def released(self, key: str) -> None:
        """It went up."""

    def lost(self) -> None:
        """The focus went elsewhere while keys were down: nobody will say that they go up."""


class Keys(QObject):
    """Watches the keys of one window.

    A scope is a widget: its actions' keys work while the focus is inside it, or, for the scope in front
    (`in_front`), while the focus is nowhere that wants the key itself.

    Args:
        window: whose keys.
        actions: what they do.
    """

    def __init__(self, window: QWidget, actions: Actions) -> None:
        super().__init__(window)
        self._window, self._actions = window, actions
        self._scopes: dict[str, QWidget] = {}
        self._captor: Captor | None = None
        self._down: dict[int | str, str] = {}  # what was pressed, by the cap on the keyboard: one per key
        app = QApplication.instance()
        app.installEventFilter(self)  # type: ignore[union-attr]
        app.focusChanged.connect(self._focus_moved)  # type: ignore[union-attr]

    def add_scope(self, name: str, widget: QWidget) -> None:
        """The keys of this scope belong to this widget."""
        self._scopes[name] = widget

    def close(self) -> None:
        """Watch no more."""
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
        self._captor = None

    def capture_for(self, captor: Captor) -> None:
        """Ask this one first, whenever a plain key goes down."""
        self._captor = captor

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's door: a key that is ours goes no further."""
        if isinstance(event, QKeyEvent) and isinstance(watched, QWidget) and self._captured(watched, event):
            return True
        if event.type() not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return False
        if not isinstance(watched, QWidget) or not isinstance(event, QKeyEvent) or not self._ours(watched):
            return False
        action = self.action_for(key_text(event), watched)
        if action is None:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # it comes again, as a key press
            return True
        action.call()
        return True

    def action_for(self, key: str, focus: QWidget) -> Action | None:
        """What a key does when the focus is there."""
        if not key or _wants(focus, key):
            return None
        return self._actions.for_key(key, scopes=self._scopes_at(focus, key))

    def _captured(self, watched: QWidget, event: QKeyEvent) -> bool:
        """Whether a key went to whoever captured the keyboard."""
        captor = self._captor
        if captor is None or QApplication.activePopupWidget() is not None:
            return False
        # By its cap, if told: with Shift let go first, a key goes up by another name.
        cap = event.nativeScanCode() or plain_key(event)
        if event.type() == QEvent.Type.KeyRelease:
            if event.isAutoRepeat():
                return cap in self._down
            name = self._down.pop(cap, None)
            if name is not None:
                captor.released(name)
            return name is not None
        key = plain_key(event)
        if not key or event.modifiers() & _CHORD or not captor.takes(key, watched):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # it comes again, as a key press
        elif not event.isAutoRepeat() and cap not in self._down:
            self._down[cap] = key
            captor.pressed(key)
        return True

    def _focus_moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        if self._captor is None or not self._down:
            return
        if new is None or not all(self._captor.takes(key, new) for key in self._down.values()):
            self._down.clear()
            self._captor.lost()

    def _ours(self, watched: QWidget) -> bool:
        if QApplication.activePopupWidget() is not None or QApplication.activeModalWidget() is not None:
            return False
        focus = self._window.focusWidget() or self._window
        return watched is focus and watched.window() in (self._window, *self._floating())

    def _floating(self) -> list[QWidget]:
        return [widget.window() for widget in self._scopes.values()]

    def _scopes_at(self, focus: QWidget, key: str) -> list[str]:
        inside = [
            name for name, widget in self._scopes.items() if widget is focus or widget.isAncestorOf(focus)
        ]
        others = [
            name
            for name, widget in self._scopes.items()
            if name not in inside and widget.isVisible() and not _uses(focus, key)
        ]
        return [*inside, WINDOW, *others]


def _wants(focus: QWidget, key: str) -> bool:
    """Whether the widget with the focus needs this key for itself, whatever else it could do."""
    plain = "+" not in key.replace("Shift+", "").rstrip("+") and key.replace("Shift+", "") not in _PLAIN
    if takes_text(focus):
        return plain or key in _TEXT_KEYS
    if isinstance(focus, (QPlainTextEdit, QTextEdit)):
        return key in ("Ctrl+A", "Ctrl+C")
    return isinstance(focus, (QAbstractButton, QComboBox)) and key in ("Space", "Return", "Enter")


def _uses(focus: QWidget, key: str) -> bool:
    """Whether keys of other scopes should leave this one to the widget with the focus."""
    base = key.replace("Shift+", "").replace("Ctrl+", "")
    if isinstance(focus, (QAbstractItemView, QAbstractSlider, QComboBox, QPlainTextEdit, QTextEdit)):
        searched = len(base) == 1 and base.isalnum() and "Ctrl+" not in key
        return base in _LIST_KEYS or (isinstance(focus, QAbstractItemView) and searched)
    return False
