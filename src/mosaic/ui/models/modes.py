"""Who decides for the agent: human, agent, or both. Modes plug in; only those that work exist. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass

from mosaic.ui.models.signal import Signal

__all__ = ["AGENT", "Mode", "Modes"]


@dataclass(frozen=True)
class Mode:
    """One way to run an environment."""

    id: str
    title: str
    help: str


AGENT = Mode("agent", "Agent", "An algorithm trains, or a trained policy plays")


class Modes:
    """The modes there are, in order, and the one in force."""

    def __init__(self, *modes: Mode) -> None:
        self.changed: Signal[[]] = Signal()
        """Another mode is in force, or there are other modes."""
        self._modes = {mode.id: mode for mode in modes or (AGENT,)}
        self._current = next(iter(self._modes))

    @property
    def all(self) -> list[Mode]:
        """Every mode that works."""
        return list(self._modes.values())

    @property
    def current(self) -> Mode:
        """The one in force."""
        return self._modes[self._current]

    def add(self, mode: Mode) -> None:
        """Another mode works from now on."""
        self._modes[mode.id] = mode
        self.changed.emit()

    def choose(self, mode_id: str) -> None:
        """Put a mode in force; one that does not exist changes nothing."""
        if mode_id in self._modes and mode_id != self._current:
            self._current = mode_id
            self.changed.emit()
