"""The keyboard while somebody plays: plain keys go to the environment, where it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.shell.keys import takes_text
from mosaic.ui.shell.widgets.scene_view import SceneView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from mosaic.ui.live.tab import LiveTab
    from mosaic.ui.play.model.playing import Playing

__all__ = ["Keyboard"]

_LEAVE = "Esc"
_TAKE = "T"
_SCENE_KEYS = frozenset({"Left", "Right", "Up", "Down", "Return", "Enter", "Space"})


class Keyboard:
    """Gives keys to a session while a seat is ours and the focus is in the live view, full screen or not.

    Args:
        playing: the session.
        tab: where it is shown.
    """

    def __init__(self, playing: Playing, tab: LiveTab) -> None:
        self._playing, self._tab = playing, tab

    def takes(self, key: str, focus: QWidget) -> bool:
        """Plain keys but typed ones; of F1 to F12, T and a scene's own keys those that mean an action."""
        playing = self._playing
        if not playing.captured or takes_text(focus) or not self._here(focus):
            return False
        if playing.wants(key) or key == _LEAVE:
            return True
        if key == _TAKE or (key[:1] == "F" and key[1:].isdecimal()):
            return False
        return not (isinstance(focus, SceneView) and key in _SCENE_KEYS)

    def pressed(self, key: str) -> None:
        """Esc leaves, unless the environment has its own use for it; the rest is played."""
        if key == _LEAVE and not self._playing.wants(key):
            self._playing.leave()
        else:
            self._playing.press(key)

    def released(self, key: str) -> None:
        """It went up."""
        self._playing.release(key)

    def lost(self) -> None:
        """No key stays down where nobody looks."""
        self._playing.let_go()

    def _here(self, focus: QWidget) -> bool:
        if self._tab.isAncestorOf(focus) or focus is self._tab:
            return True
        shown_in = self._tab.view.window()  # its own, while it has the full screen
        return shown_in is not self._tab.window() and focus.window() is shown_in
