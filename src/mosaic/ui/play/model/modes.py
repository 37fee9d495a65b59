"""Who the window is set up for: `human`, `hybrid` or `agent`. Qt-free."""

from __future__ import annotations

from typing import Literal

from mosaic.ui.shell.model.signal import Signal

__all__ = ["MODES", "Mode", "Modes"]

Mode = Literal["human", "hybrid", "agent"]
MODES: dict[Mode, str] = {"human": "Human", "hybrid": "Hybrid", "agent": "Agent"}
"""In the order they are shown, with what they are called."""


class Modes:
    """The mode that is chosen. What belongs to training is shown in `agent` alone."""

    def __init__(self, mode: str = "agent") -> None:
        self.changed: Signal[[]] = Signal()
        self.mode: Mode = "agent"
        self._set(mode)

    def choose(self, mode: str) -> None:
        """Choose one; another word than the three is passed over."""
        if self._set(mode):
            self.changed.emit()

    def next(self) -> None:
        """The one after, round and round."""
        every = list(MODES)
        self.choose(every[(every.index(self.mode) + 1) % len(every)])

    def _set(self, mode: str) -> bool:
        for known in MODES:
            if mode == known != self.mode:
                self.mode = known
                return True
        return False
