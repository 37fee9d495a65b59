"""Everything a user can do, in one list that menus, palette, keys and key help read. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["WINDOW", "Action", "Actions"]

WINDOW = "window"
"""The scope of what can be done from anywhere in the window."""


def _always() -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Action:
    """One thing to do.

    Args:
        id: its name among all actions, such as `run.stop`; the part before the dot is its menu.
        title: what the menu and the palette say.
        call: does it; on the window's thread, so it must not take time.
        keys: as Qt's portable text, e.g. `Ctrl+K`, `Shift+Right`, `Space`, `?`; the first one is shown.
        when: whether it can be done now.
        scope: `WINDOW`, or where it belongs: its keys then work only there.
        hidden: left out of menus and palette (twins of other actions, such as digits for speeds).
    """

    id: str
    title: str
    call: Callable[[], object]
    keys: tuple[str, ...] = ()
    when: Callable[[], bool] = _always
    scope: str = WINDOW
    hidden: bool = False

    @property
    def section(self) -> str:
        """The menu it belongs to."""
        return self.id.partition(".")[0]


class Actions:
    """All actions, in the order they were added. Of two that want the same key the first one has it."""

    def __init__(self) -> None:
        self.clashes: list[str] = []
        """What is wrong with the list, a sentence each; a test keeps this empty."""
        self._actions: dict[str, Action] = {}

    def add(self, *actions: Action) -> None:
        """Take these in."""
        for action in actions:
            if action.id in self._actions:
                self.clashes.append(f"there are two actions {action.id!r}")
                continue
            for key in action.keys:
                other = self._clashing(key, action.scope)
                if other is not None:
                    self.clashes.append(f"{key} is the key of both {other.id!r} and {action.id!r}")
            self._actions[action.id] = action

    def all(self) -> list[Action]:
        """Every action."""
        return list(self._actions.values())

    def get(self, action_id: str) -> Action:
        """One action."""
        return self._actions[action_id]

    def section(self, name: str) -> list[Action]:
        """The actions of one menu."""
        return [action for action in self._actions.values() if action.section == name]

    def for_key(self, key: str, *, scopes: Iterable[str]) -> Action | None:
        """What a key does now, tried in the given scopes, nearest first; None for nothing."""
        for scope in scopes:
            for action in self._actions.values():
                if action.scope == scope and key in action.keys and action.when():
                    return action
        return None

    def _clashing(self, key: str, scope: str) -> Action | None:
        """Another action whose key would work in the same scope."""
        for action in self._actions.values():
            if key in action.keys and (scope == action.scope or WINDOW in (scope, action.scope)):
                return action
        return None
