"""The menus, made from the actions. Keys are only shown here; `keys` handles them, so none has two homes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QMenu, QMenuBar

    from mosaic.ui.shell.model.actions import Action, Actions

__all__ = ["fill", "make_menus"]

_TITLES = {
    "run": "&Run",
    "live": "&Live",
    "session": "&Session",
    "replay": "Re&play",
    "charts": "&Charts",
    "view": "&View",
    "help": "&Help",
}
"""The menus in order; other sections come before View."""


def make_menus(bar: QMenuBar, actions: Actions) -> None:
    """One menu per section of the actions."""
    there = list(dict.fromkeys(action.section for action in actions.all() if not action.hidden))
    known = [name for name in _TITLES if name in there and name not in ("view", "help")]
    others = [name for name in there if name not in _TITLES]
    for name in [*known, *others, *(last for last in ("view", "help") if last in there)]:
        menu = bar.addMenu(_TITLES.get(name, name.capitalize()))
        fill(menu, actions.section(name))


def fill(menu: QMenu, actions: Iterable[Action]) -> None:
    """Put actions into a menu; which of them can be done is asked whenever it opens."""
    entries: list[tuple[QAction, Action]] = []
    for action in actions:
        if action.hidden:
            continue
        key = f"\t{action.keys[0]}" if action.keys else ""
        entry = QAction(action.title.replace("&", "&&") + key, menu)
        entry.triggered.connect(lambda _=False, call=action.call: call())
        menu.addAction(entry)
        entries.append((entry, action))

    def ask() -> None:
        for entry, action in entries:
            entry.setEnabled(action.when())

    menu.aboutToShow.connect(ask)
    ask()
