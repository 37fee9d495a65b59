"""The line to the session in focus: connects when there is one, reads when it says something, lets go.

Connecting and reading files happen off the window's thread; what the session says is read on it, the moment
it comes, so that no timer stands between a key and its frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSocketNotifier, QTimer

from mosaic.app import key_files
from mosaic.app.hands import Hands
from mosaic.protocol.cards import SESSION_RUNNER
from mosaic.protocol.hands import Offer
from mosaic.protocol.runs import ENDED

if TYPE_CHECKING:
    from mosaic.protocol.hands import KeyMap
    from mosaic.protocol.runs import RunRow
    from mosaic.ui.play.model.playing import Playing
    from mosaic.ui.shell.context import Context

__all__ = ["Line", "is_playing"]

_AGAIN_MILLIS = 200
_NAME = "desktop"


def is_playing(row: RunRow | None) -> bool:
    """Whether somebody may play in a run: a session, or what came of another run (evaluations, branches)."""
    if row is None or row.state in ENDED:
        return False
    return row.runner == SESSION_RUNNER or row.parent is not None


class Line(QObject):
    """Keeps one `Playing` connected to the session of one run.

    Args:
        context: the window's; its `ops` connect.
        playing: told what the session says.
        again_millis: how long after one that failed the next attempt is made, while the run goes on.
    """

    def __init__(self, context: Context, playing: Playing, *, again_millis: int = _AGAIN_MILLIS) -> None:
        super().__init__()
        self._context, self.playing = context, playing
        self._row: RunRow | None = None
        self._hands: Hands | None = None
        # One for all connections, and never deleted by itself: Qt and Python would both do it, at a bad time.
        self._notifier = QSocketNotifier(QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(lambda *_: self._read())
        self._connecting: str | None = None  # to the session of which run
        self._again = QTimer(self, singleShot=True, interval=again_millis)
        self._again.timeout.connect(self._connect)

    @property
    def run_id(self) -> str | None:
        """The run whose session it is."""
        return None if self._row is None else self._row.run_id

    def show(self, row: RunRow | None) -> None:
        """Be connected to this run's session, if it is one; the same run again only brings its new state."""
        before, self._row = self.run_id, row if is_playing(row) else None
        if self.run_id != before:
            self._hang_up()
            self.playing.closed()
        if self._row is not None and self._hands is None and self._connecting is None:
            self._connect()

    def close(self) -> None:
        """Let go for good. Seats that were taken go back to their operators. Twice is fine."""
        self._row = None
        self._hang_up()
        self.playing.closed()

    # -- inside ------------------------------------------------------------------------------------

    def _connect(self) -> None:
        if self._row is None or self._hands is not None:
            return
        run_id = self._row.run_id
        folder = self._context.root.run(run_id)
        self._connecting = run_id
        self._context.ops.run(
            lambda: Hands(folder, name=_NAME),
            done=lambda hands: self._connected(run_id, hands),
            failed=lambda _: self._not_yet(run_id),
        )

    def _not_yet(self, run_id: str) -> None:
        if self._connecting == run_id:
            self._connecting = None
        if self.run_id == run_id:
            self._again.start()

    def _connected(self, run_id: str, hands: Hands) -> None:
        if self._connecting == run_id:
            self._connecting = None
        if self.run_id != run_id or self._hands is not None:
            hands.close()  # another run is shown by now
            return
        self._hands = hands
        self._notifier.setSocket(hands.fileno())
        self._notifier.setEnabled(True)
        self.playing.opened(hands.order)
        self._read()

    def _read(self) -> None:
        hands = self._hands
        if hands is None:
            return
        for said in hands.read():
            self.playing.heard(said)
            if isinstance(said, Offer):
                self._recall_keys(said.env_id)
        if hands.ended:
            self._hang_up()
            self.playing.closed("The session has ended.")
            if self._row is not None:  # or it was only this connection
                self._again.start()

    def _recall_keys(self, env_id: str) -> None:
        """The keys this person chose for the environment, if any."""
        root, hands = self._context.root, self._hands

        def recalled(keys: KeyMap | None) -> None:
            if keys is not None and self._hands is hands:
                self.playing.set_keys(keys)

        self._context.ops.run(lambda: key_files.load(root, env_id), done=recalled, failed=self.playing.missed)

    def _hang_up(self) -> None:
        self._again.stop()
        self._connecting = None
        self._notifier.setEnabled(False)
        if self._hands is not None:
            self._hands.close()
            self._hands = None
