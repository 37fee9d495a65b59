"""The line of transient news: one at a time, newest wins, some with an action such as Undo. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Toast", "Toasts"]


@dataclass(frozen=True, kw_only=True)
class Toast:
    """One piece of news. Plain text."""

    text: str
    level: Literal["info", "good", "bad"] = "info"
    action: str = ""
    act: Callable[[], None] | None = None
    secs: float = 6.0


class Toasts:
    """Where everything in the window says what happened.

    Args:
        keep: how many past ones are kept for the history; older ones are forgotten.
    """

    def __init__(self, *, keep: int = 100) -> None:
        self.shown: Signal[[Toast]] = Signal()
        self.history: list[Toast] = []
        self._keep = keep

    def say(
        self,
        text: str,
        *,
        level: Literal["info", "good", "bad"] = "info",
        action: str = "",
        act: Callable[[], None] | None = None,
        secs: float = 6.0,
    ) -> Toast:
        """Show some news."""
        toast = Toast(text=text, level=level, action=action, act=act, secs=secs)
        self.history = [*self.history[-self._keep + 1 :], toast]
        self.shown.emit(toast)
        return toast
