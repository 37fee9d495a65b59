"""What one part of the window asks of another, without knowing it. Qt-free."""

from __future__ import annotations

from mosaic.ui.shell.model.signal import Signal

__all__ = ["Asks"]


class Asks:
    """Emitted by whoever has the button, heard by whoever can do it."""

    def __init__(self) -> None:
        self.watch: Signal[[str]] = Signal()
        """Show this run live."""
        self.replay: Signal[[str, int | None]] = Signal()
        """Replay this run's episode; None for its last finished one."""
        self.evaluate: Signal[[str, str]] = Signal()
        """Play this run's checkpoint, by its path."""
        self.train_from: Signal[[str, str]] = Signal()
        """Start a training from this run's checkpoint, by its path."""
        self.resume: Signal[[str]] = Signal()
        """Resume this stopped run."""
        self.launch: Signal[[str, str, str]] = Signal()
        """Open the form for this runner, algorithm and environment."""
        self.run_script: Signal[[]] = Signal()
        """Open the form for a command of the user's own."""
        self.compare: Signal[[]] = Signal()
        """Show the chosen runs' charts."""
