"""Somebody's hand in a running session: orders out, what the session says in. Speaks to the session alone.

No daemon is on the way: a key reaches the session's process over the socket in the run's folder. Refuses to
wait: whoever wants to knows from `fileno` when there is something to read.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.errors import UsageError
from mosaic.protocol.hands import PROTOCOL, Doing, Order, Said
from mosaic_worker.common.hands import SOCKET

if TYPE_CHECKING:
    from typing_extensions import Self

    from mosaic.paths import RunFolder

__all__ = ["Hands"]

_CHUNK = 1 << 16
_MOST_UNREAD = 64 << 20

_decoder = msgspec.json.Decoder(Said)


class Hands:
    """A connection to a session. A context; leaving it gives every seat back.

    Args:
        folder: the run's.
        name: who this is, for others who look.

    Raises:
        UsageError: nobody listens there: the run is no session, has not begun, or has ended.
    """

    def __init__(self, folder: RunFolder, *, name: str) -> None:
        self._left = bytearray()
        self._orders = 0
        self.ended = False
        """Whether the session has closed the connection."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            descriptor = os.open(folder.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:  # by the folder's descriptor: a socket's path holds no more than 108 bytes
                self._socket.connect(f"/proc/self/fd/{descriptor}/{SOCKET}")
            finally:
                os.close(descriptor)
        except OSError as error:
            self._socket.close()
            raise UsageError(
                f"nobody listens in run {folder.run_id}: it does not play a session now ({error.strerror})"
            ) from None
        self._send({"hands": PROTOCOL, "name": name})
        self._socket.setblocking(False)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Leave; every seat that was taken is given back. Twice is fine."""
        self._socket.close()

    def fileno(self) -> int:
        """What becomes readable when the session says something."""
        return self._socket.fileno()

    def order(self, do: Doing, **more: Any) -> int:
        """Ask for something. The number that its answer will bear.

        Args:
            do: what.
            more: the other fields of `mosaic.protocol.hands.Order`.
        """
        self._orders += 1
        self._send(msgspec.convert({"id": self._orders, "do": do, **more}, Order))
        return self._orders

    def read(self) -> list[Said]:
        """Everything that has been said since, without waiting. Sets `ended` when nothing more will come."""
        while len(self._left) < _MOST_UNREAD:
            try:
                data = self._socket.recv(_CHUNK)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self.ended = True
                break
            self._left += data
        *lines, self._left = self._left.split(b"\n")
        return [_decoder.decode(line) for line in lines]

    def _send(self, message: Any) -> None:
        """An order is short and the session reads often: what it does not take at once, it never will."""
        try:
            self._socket.sendall(msgspec.json.encode(message) + b"\n")
        except OSError:
            self.ended = True
