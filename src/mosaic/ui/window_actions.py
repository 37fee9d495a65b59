"""What can be done with the window itself: which part is in front, which docks are there, how it looks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mosaic.ui.shell.model.actions import Action

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDockWidget

    from mosaic.ui.shell.theme import Choice
    from mosaic.ui.window import Window

__all__ = ["window_actions"]

_LOOKS: tuple[tuple[Choice, str], ...] = (
    ("system", "Theme: follow the system"),
    ("light", "Theme: light"),
    ("dark", "Theme: dark"),
)


def window_actions(window: Window) -> list[Action]:
    """The sections View and Help."""
    parts = [
        Action(
            id=f"view.{name.lower()}",
            title=f"Show {name}",
            call=partial(window.show_part, part),
            keys=(f"Ctrl+{at}",),
        )
        for at, (name, part) in enumerate(window.tabs_in_order, start=1)
    ]
    docks = [
        Action(id=f"view.{name}", title=f"Show or hide {text}", call=partial(_toggle, dock), keys=(key,))
        for name, text, dock, key in (
            ("left", "runs and launch", window.left, "Ctrl+B"),
            ("right", "charts and details", window.right, "Ctrl+Shift+B"),
            ("log", "the log", window.bottom, "Ctrl+J"),
        )
    ]
    looks = [
        Action(id=f"view.theme_{choice}", title=title, call=partial(window.set_theme, choice))
        for choice, title in _LOOKS
    ]
    find, keys = window.palette_sheet.open, window.key_sheet.open
    return [
        *parts,
        *docks,
        Action(id="view.arrange", title="Put all docks back", call=window.arrange),
        Action(id="view.full", title="Full screen", call=window.toggle_full_screen, keys=("F11",)),
        Action(
            id="view.leave",
            title="Leave full screen",
            call=window.leave,
            keys=("Esc",),
            when=window.isFullScreen,
            hidden=True,
        ),
        *looks,
        Action(id="view.quit", title="Close the window (runs go on)", call=window.close, keys=("Ctrl+Q",)),
        Action(id="help.palette", title="Find an action or a run…", call=find, keys=("Ctrl+K",)),
        Action(id="help.keys", title="Keys", call=keys, keys=("?", "F1")),
    ]


def _toggle(dock: QDockWidget) -> None:
    dock.setVisible(not dock.isVisible())
    if dock.isVisible():
        dock.raise_()
