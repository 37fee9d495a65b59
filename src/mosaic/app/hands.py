"""A person's side of a session's socket. Provisional: replaced when the session's own side comes."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.protocol.hands import PROTOCOL, Order, Said

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Hands"]


class Hands:
    """A connection to one session."""

    def __init__(self, path: Path, *, name: str = "somebody") -> None:
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.connect(str(path))
        self._door.sendall(msgspec.json.encode({"hands": PROTOCOL, "name": name}) + b"\n")
        self._door.setblocking(False)
        self._read = b""
        self._orders = 0
        self._decoder = msgspec.json.Decoder(Said)

    def fileno(self) -> int:
        """For whoever waits until there is something to read."""
        return self._door.fileno()

    def order(self, *, do: str, **words: Any) -> int:
        """Send an order; its id."""
        self._orders += 1
        told = msgspec.convert({"id": self._orders, "do": do, **words}, Order)
        self._door.sendall(msgspec.json.encode(told) + b"\n")
        return self._orders

    def read(self) -> list[Said]:
        """What the session said since the last time.

        Raises:
            ConnectionError: it has gone.
        """
        try:
            data = self._door.recv(1 << 16)
        except BlockingIOError:
            return []
        if not data:
            raise ConnectionError("the session has ended")
        *lines, self._read = (self._read + data).split(b"\n")
        return [self._decoder.decode(line) for line in lines]

    def close(self) -> None:
        """Let go of everything. Twice is fine."""
        self._door.close()
