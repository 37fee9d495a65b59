"""The door through which people reach a running session: JSON lines over `session.sock` in the run's folder.

Everything happens in the session's own thread, between two steps or while it waits: no order can come in the
middle of one. Nobody is waited for who does not read; a client that leaves has let go of everything.
`mosaic.protocol.hands` says what is said; `Control` obeys.
"""

from __future__ import annotations

import json
import os
import select
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional

from mosaic_worker.common.hands import PROTOCOL, SOCKET
from mosaic_worker.frames import frames
from mosaic_worker.session.control import NOTHING, Control, Cut, Hand, RefusedError
from mosaic_worker.session.fitting import as_json

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["Hands"]

_LINE_BYTES = 1 << 20
_UNREAD_BYTES = 4 << 20
_CHUNK = 1 << 16
_ROUND_SECS = 0.1  # how long a wait may last before a stop, or a viewer that came, is noticed
_LOOK_SECS = 0.005  # how often orders are looked for while it goes as fast as it can
_TELL_SECS = 1 / 30


class _Client:
    """Somebody who has come."""

    def __init__(self, door: socket.socket, number: int) -> None:
        door.setblocking(False)
        self.door, self.number = door, number
        self.name = ""
        self.read = bytearray()
        self.unsent = bytearray()
        self.told = -1
        """The last change it was told of."""


class Hands:
    """Whoever has a hand in a session, and the session's pace: it is called before every tick.

    Args:
        control: obeys orders.
        offer: what every client is told first.
        stop: whether the session is to end.
        most_clients: whoever comes beyond these is told so and sent away.
    """

    def __init__(
        self,
        control: Control,
        *,
        offer: Mapping[str, Any],
        stop: Callable[[], bool],
        most_clients: int = 16,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.control = control
        self._offer = {"type": "offer", "session": PROTOCOL, **offer}
        self._stop = stop
        self._most_clients = most_clients
        self._clock = clock
        self._clients: Dict[int, _Client] = {}
        self._came = 0
        self._due = self._looked = self._told = 0.0
        self._folder = -1
        self._listener: Optional[socket.socket] = None
        self._poll = select.poll()
        self.each_round: List[Callable[[], object]] = []
        """Called in every round of `serve`: what else is waited for."""

    # ---- the socket ----

    def open(self, run_dir: str) -> None:
        """Listen in a run's folder.

        Raises:
            OSError: there is no such folder, or no room.
        """
        self._folder = os.open(run_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        path = self._path()
        with suppress(FileNotFoundError):  # a worker that was killed leaves its own behind
            os.unlink(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            listener.bind(path)
        finally:
            os.umask(before)
        listener.listen(self._most_clients)
        listener.setblocking(False)
        self._listener = listener
        self._poll.register(listener, select.POLLIN)

    def _path(self) -> str:
        """By the folder's descriptor: a socket's path holds no more than 108 bytes."""
        return f"/proc/self/fd/{self._folder}/{SOCKET}"

    def close(self) -> None:
        """Tell everybody the last of it, and let everything go. Twice is fine."""
        if self._listener is None:
            return
        self.tell()
        for client in list(self._clients.values()):
            self._drop(client)
        self._poll.unregister(self._listener)
        self._listener.close()
        self._listener = None
        with suppress(OSError):
            os.unlink(self._path())
        os.close(self._folder)

    # ---- what the loop waits for ----

    def wait(self, due: Mapping[Any, View]) -> None:
        """Return when the next tick is due. Called before every tick.

        Args:
            due: what those see who will be asked then, by actor.

        Raises:
            Cut: somebody ordered the episode to be cut, or the session is to end while it waits.
        """
        control = self.control
        control.see(due)
        if control.fps is None and not control.paused:
            now = self._clock()
            if now - self._looked >= _LOOK_SECS:
                self.serve(0.0)
        else:
            while True:
                if self._stop():
                    raise Cut(quit=True)
                left = self._due - self._clock() if control.fps is not None else 0.0
                if left <= 0 and control.may_tick():
                    break
                if control.paused:
                    frames.settle()
                self.serve(left if not control.paused and left > 0 else _ROUND_SECS)
                self._cut()
            if control.fps is not None:
                self._due = max(self._due, self._clock()) + 1.0 / control.fps
        self._cut()

    def person(self, hand: Hand) -> Any:
        """A person's action in a seat; `NOTHING` when the seat is nobody's any more, or the session ends.

        Raises:
            Cut: as for `wait`.
        """
        found = self.control.answer(hand)
        if found is not NOTHING:
            return found
        hand.waits = True
        self.control.changes += 1
        try:
            while hand.played and found is NOTHING:
                if self._stop():
                    raise Cut(quit=True)
                frames.settle()
                self.serve(_ROUND_SECS)
                self._cut()
                found = self.control.answer(hand)
        finally:
            hand.waits = False
        self._due = self._clock()  # a tick begins anew after a wait
        return found

    def linger(self, secs: float) -> None:
        """The episode is over: leave it to be looked at, so long or until somebody presses a key.

        Raises:
            Cut: as for `wait`.
        """
        until = self._clock() + secs
        self.control.wants_on()  # what was pressed before the end was not meant for this
        while not self._stop() and not self.control.wants_on():
            left = until - self._clock()
            if left <= 0 and not self.control.paused:
                break
            frames.settle()
            self.serve(min(_ROUND_SECS, max(left, 0.0)) if not self.control.paused else _ROUND_SECS)
            self._cut()

    def _cut(self) -> None:
        cut = self.control.cut
        if cut is not None:
            self.control.cut = None
            raise cut

    # ---- one round ----

    def serve(self, secs: float) -> None:
        """Tell what is new, then read what has been ordered, waiting for it so long at most."""
        self.tell(always=secs > _TELL_SECS)
        for call in self.each_round:
            call()
        if self._listener is None:
            if secs > 0:
                time.sleep(secs)
            return
        ready = self._poll.poll(int(secs * 1000.0))
        self._looked = self._clock()
        for number, event in ready:
            if number == self._listener.fileno():
                self._accept()
            elif number in self._clients:
                self._hear(self._clients[number], event)
        if not ready and 0 < secs < _TELL_SECS:
            time.sleep(secs % 0.001)  # a poll waits whole milliseconds

    def _accept(self) -> None:
        assert self._listener is not None  # noqa: S101
        try:
            door, _ = self._listener.accept()
        except OSError:
            return
        self._came += 1
        client = _Client(door, self._came)
        if len(self._clients) >= self._most_clients:
            self._say(
                client, {"type": "answer", "id": 0, "refused": f"{self._most_clients} are here already"}
            )
            door.close()
            return
        self._clients[door.fileno()] = client
        self._poll.register(door, select.POLLIN)

    def _hear(self, client: _Client, event: int) -> None:
        if event & select.POLLOUT:
            self._flush(client)
        if not event & (select.POLLIN | select.POLLHUP | select.POLLERR):
            return
        try:
            data = client.door.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        client.read += data
        while data and b"\n" in client.read:
            line, _, client.read = client.read.partition(b"\n")
            if not self._line(client, bytes(line)):
                data = b""
        if not data or len(client.read) > _LINE_BYTES:
            self._drop(client)

    def _line(self, client: _Client, line: bytes) -> bool:
        """One line of a client; False to send it away."""
        try:
            order = json.loads(line)
        except ValueError:
            order = None
        if not isinstance(order, dict):
            refused = f"that is no JSON object: {line[:80]!r}"
            self._say(client, {"type": "answer", "id": 0, "refused": refused})
            return False
        if not client.name:
            if order.get("hands") != PROTOCOL:
                refused = f'say first: {{"hands": {PROTOCOL}, "name": "who you are"}}'
                self._say(client, {"type": "answer", "id": 0, "refused": refused})
                return False
            client.name = str(order.get("name") or "somebody")[:80]
            self._say(client, self._offer)
            client.told = -1
            return True
        refused = ""
        try:
            self.control.obey(client.number, client.name, order)
        except RefusedError as error:
            refused = str(error)
        number = order.get("id")
        answer = {"type": "answer", "id": number if isinstance(number, int) else 0}
        self._say(client, {**answer, "refused": refused} if refused else answer)
        return True

    def tell(self, *, always: bool = True) -> None:
        """Tell everybody how it stands, if it changed; without `always` no more than some times a second."""
        if not self._clients:
            return
        now = self._clock()
        if not always and now - self._told < _TELL_SECS:
            return
        changes = self.control.changes
        for client in list(self._clients.values()):
            # Whoever has not read what was said before is told the latest when it has.
            if client.name and client.told != changes and not client.unsent:
                client.told = changes
                self._told = now
                self._say(client, self.control.now(client.number))

    def _say(self, client: _Client, message: Mapping[str, Any]) -> None:
        client.unsent += json.dumps(message, default=as_json, separators=(",", ":")).encode() + b"\n"
        self._flush(client)

    def _flush(self, client: _Client) -> None:
        try:
            sent = client.door.send(client.unsent)
            del client.unsent[:sent]
        except BlockingIOError:
            pass
        except OSError:
            client.unsent.clear()  # it has gone, which reading tells
            return
        if client.door.fileno() in self._clients:
            more = select.POLLOUT if client.unsent else 0
            self._poll.modify(client.door, select.POLLIN | more)
        if len(client.unsent) > _UNREAD_BYTES:
            self._drop(client)

    def _drop(self, client: _Client) -> None:
        number = client.door.fileno()
        if self._clients.pop(number, None) is not None:
            self._poll.unregister(number)
            client.door.close()
            self.control.left(client.number)
