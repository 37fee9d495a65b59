"""How the window stands with the daemon: connecting, connected or lost, and what it waits for. Qt-free."""

from __future__ import annotations

import enum

from mosaic.ui.shell.model.signal import Signal

__all__ = ["Link", "LinkState"]


class LinkState(enum.Enum):
    """Where the connection stands."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    LOST = "lost"


class Link:
    """One connection to the daemon. Everything shown meanwhile comes from files, so it is true as well.

    `text` is one sentence for the banner; empty while all is well.
    """

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        self.state = LinkState.CONNECTING
        self.text = "Waiting for the daemon to answer…"
        self.losses = 0

    @property
    def connected(self) -> bool:
        """Whether the daemon answers."""
        return self.state is LinkState.CONNECTED

    def connecting(self, text: str) -> None:
        """The first connection is being made; once one was lost, the text of that loss goes on."""
        if self.state is not LinkState.LOST:
            self._become(LinkState.CONNECTING, text)

    def connect(self) -> None:
        """The daemon answers."""
        self._become(LinkState.CONNECTED, "")

    def lose(self, waiting_for: str) -> None:
        """The daemon is gone, or does not answer; `waiting_for` says what happens next."""
        if self.state is LinkState.CONNECTED:
            self.losses += 1
        before = self.state if self.state is not LinkState.CONNECTED else LinkState.LOST
        gone = "The daemon is gone; reconnecting…" if self.losses else "No daemon yet."
        self._become(LinkState.LOST if self.losses else before, f"{gone} {waiting_for}".strip())

    def _become(self, state: LinkState, text: str) -> None:
        if (state, text) != (self.state, self.text):
            self.state, self.text = state, text
            self.changed.emit()
