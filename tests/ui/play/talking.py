"""A session's socket for tests of widgets: real lines over a real socket, said and read by the test.

What a real session does with orders is tested with real sessions; this one says what it is told to say.
"""

from __future__ import annotations

import json
import os
import select
import socket
from pathlib import Path
from typing import Any

import msgspec

from mosaic.protocol.hands import Answer, Binding, KeyMap, Now, Offer, Said, SeatNow

__all__ = ["LAKE", "Session", "now", "offer"]

LAKE = KeyMap(
    bindings=[
        Binding(keys=["Left"], action=0, name="left"),
        Binding(keys=["Down"], action=1, name="down"),
        Binding(keys=["Right"], action=2, name="right"),
        Binding(keys=["Right", "Space"], action=3, name="leap"),
    ],
    source="table",
)
FOUR = {"kind": "Discrete", "text": "Discrete(4)", "n": 4, "start": 0}


def offer(*actors: str, keys: KeyMap = LAKE, space: Any = FOUR) -> Offer:
    """What a session of these actors offers."""
    named = actors or ("agent",)
    return Offer(
        session=1,
        env_id="FrozenLake-v1",
        keys=dict.fromkeys(named, keys),
        spaces=dict.fromkeys(named, space),
        render_fps=4.0,
        allowed=["reset", "quit", "deploy"],
    )


def now(*seats: SeatNow, **more: Any) -> Now:
    """How it stands; by default one seat, of a random operator, turn by turn."""
    given = {"pace": "turn", **more}
    return Now(seats=list(seats) or [SeatNow(actor="agent", operator="random", by="random")], **given)


class Session:
    """Listens at a path; one client at a time."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        folder = os.open(path.parent, os.O_RDONLY)  # a socket's path holds no more than 108 bytes
        self._listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        os.close(folder)
        self._listener.listen()
        self._door: socket.socket | None = None
        self._read = b""
        self.hello: dict[str, Any] = {}
        self.orders: list[dict[str, Any]] = []

    def knocked(self) -> bool:
        """Whether somebody wants to come in."""
        return bool(select.select([self._listener], [], [], 0)[0])

    def accept(self, *said: Said) -> None:
        """Let one client in, and say these."""
        self._listener.settimeout(30)
        self._door, _ = self._listener.accept()
        self._door.settimeout(30)
        self.hello = self._line()
        for one in said:
            self.say(one)

    def say(self, said: Said) -> None:
        """Say one thing."""
        assert self._door is not None
        self._door.sendall(msgspec.json.encode(said) + b"\n")

    def has_order(self) -> bool:
        """Whether an order has come that was not read yet."""
        assert self._door is not None
        return b"\n" in self._read or bool(select.select([self._door], [], [], 0)[0])

    def order(self, *, refused: str = "") -> dict[str, Any]:
        """The next order, answered."""
        found = self._line()
        self.orders.append(found)
        self.say(Answer(id=found["id"], refused=refused))
        return {key: value for key, value in found.items() if key != "id"}

    def _line(self) -> dict[str, Any]:
        assert self._door is not None
        while b"\n" not in self._read:
            data = self._door.recv(1 << 16)
            if not data:
                raise EOFError("the client has gone")
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def gone(self) -> bool:
        """Whether the client has hung up."""
        assert self._door is not None
        try:
            return self._door.recv(1) == b""
        except ConnectionError:
            return True

    def close(self) -> None:
        """Hang up."""
        if self._door is not None:
            self._door.close()
        self._listener.close()
