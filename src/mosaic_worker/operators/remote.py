"""Operators in a process of their own: another interpreter, or a program in any language.

Both kinds are asked the same: `open` once, `begin` for every play, `act` for every decision; the end of their
input means to leave. `Framed` speaks headers and raw bytes, for our own drivers; `Lines` speaks JSON lines,
for all other programs. Refuses to wait for ever: whoever takes longer than the deadline has failed.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

from mosaic_worker.common import wire
from mosaic_worker.parcels import ParcelError, pack, unpack
from mosaic_worker.session.fitting import as_json, fitted
from mosaic_worker.session.operator import Choice, Operator, OperatorError, Seat

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["PROTOCOL", "Framed", "Lines"]

PROTOCOL = 1
_MAX_LINE = 64 << 20
_CHUNK = 1 << 16
_LEAVE_SECS = 5.0
_DECIDE = "to decide, which is its --deadline"


class _Child(Operator):
    """A process that is asked and answers.

    Args:
        argv: its command.
        name: who it is, for people.
        about: what it is told when it is opened.
        deadline_secs: how long a decision may take.
        ready_secs: how long it may take until it is ready: importing torch alone can take half a minute.
    """

    def __init__(
        self,
        argv: List[str],
        *,
        name: str,
        about: Mapping[str, Any],
        deadline_secs: float = 30.0,
        ready_secs: float = 300.0,
    ) -> None:
        if deadline_secs <= 0 or ready_secs <= 0:
            raise ValueError("a deadline lies ahead")
        self.name = name
        self._argv = argv
        self._about = dict(about)
        self._deadline_secs = deadline_secs
        self._ready_secs = ready_secs
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._left = bytearray()
        self._space: Any = None
        self._asked = 0
        self._started = 0.0

    def start(self) -> None:
        """Start the process, and tell it where it will sit."""
        try:
            self._process = subprocess.Popen(
                self._argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # Empty: not recorded. What it simulates to decide is no episode of the session.
                env={**os.environ, "MOSAIC_RUN_DIR": ""},
            )
        except OSError as error:
            raise OperatorError(f"{self._argv[0]} cannot be started: {error.strerror}") from None
        self._started = time.monotonic()
        poll = select.poll()
        poll.register(self._out, select.POLLIN | select.POLLHUP)
        self._poll = poll
        self._send({"session": PROTOCOL, "ask": "open", **self._about})

    def wait_ready(self) -> None:
        """Wait for its first answer."""
        self._opened(self._answer(self._ready_secs, "to be ready"))

    def ready(self) -> bool:
        """Whether its first answer has come."""
        if time.monotonic() - self._started > self._ready_secs:
            raise OperatorError(f"it took longer than {self._ready_secs:g} s to be ready")
        answer = self._arrived()
        if answer is not None:
            self._opened(answer)
        return answer is not None

    def _opened(self, answer: Dict[str, Any]) -> None:
        if not answer.get("ready"):
            raise OperatorError(f'its first answer was not {{"ready": true}}, but {str(answer)[:200]}')

    def begin(self, seat: Seat) -> None:
        """Tell it that it starts anew, with this seed."""
        self._space = seat.action_space
        self._send({"ask": "begin", "actor": str(seat.actor), "seed": seat.seed})

    def act(self, view: View) -> Choice:
        """Ask it."""
        began = time.perf_counter()
        self._asked += 1
        self._ask(view)
        answer = self._answer(self._deadline_secs, _DECIDE)
        while answer.get("id") != self._asked:  # an answer to what was given up on
            answer = self._answer(self._deadline_secs, _DECIDE)
        if "action" not in answer:
            raise OperatorError(f"its answer has no action: {str(answer)[:200]}")
        data = answer.get("data")
        told = dict(data) if isinstance(data, dict) else {}
        told["ms"] = round((time.perf_counter() - began) * 1000.0, 3)
        return Choice(fitted(answer["action"], self._space), told)

    def close(self) -> None:
        """End its input, wait a moment, and end it if it stays."""
        process = self._process
        if process is None:
            return
        self._process = None
        for end in (process.stdin, process.stdout):
            if end is not None:
                with suppress(OSError):  # it is gone already
                    end.close()
        try:
            process.wait(_LEAVE_SECS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()

    # ---- one message each way ----

    def _ask(self, view: View) -> None:
        raise NotImplementedError

    def _coded(self, message: Dict[str, Any], body: bytes = b"") -> bytes:
        raise NotImplementedError

    def _take(self) -> Optional[Dict[str, Any]]:
        """The first whole message that has arrived."""
        raise NotImplementedError

    @property
    def _out(self) -> int:
        assert self._process is not None and self._process.stdout is not None  # noqa: S101,PT018
        return self._process.stdout.fileno()

    def _send(self, message: Dict[str, Any], body: bytes = b"") -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise OperatorError("it has ended")
        data = memoryview(self._coded(message, body))
        fd = process.stdin.fileno()
        try:
            while data:
                data = data[os.write(fd, data) :]
        except OSError:
            raise OperatorError(self._ended()) from None

    def _answer(self, secs: float, what: str) -> Dict[str, Any]:
        until = time.monotonic() + secs
        while True:
            found = self._arrived(max(0.0, until - time.monotonic()))
            if found is not None:
                return found
            if time.monotonic() >= until:
                raise OperatorError(f"it took longer than {secs:g} s {what}")

    def _arrived(self, secs: float = 0.0) -> Optional[Dict[str, Any]]:
        """The next answer, if it is whole, or comes in one piece within so long."""
        found = self._taken()
        if found is None and self._poll.poll(secs * 1000.0):
            data = os.read(self._out, _CHUNK)
            if not data:
                raise OperatorError(self._ended())
            self._left += data
            found = self._taken()
        return found

    def _taken(self) -> Optional[Dict[str, Any]]:
        try:
            found = self._take()
        except (wire.WireError, ParcelError) as error:
            raise OperatorError(f"it answered what is not an answer: {error}") from None
        if found is not None and "error" in found:
            raise OperatorError(str(found["error"])[:2000])
        return found

    def _ended(self) -> str:
        process = self._process
        try:
            code = process.wait(1.0) if process is not None else None
        except subprocess.TimeoutExpired:
            return "it closed its output"
        if code is not None and code < 0:
            return f"it was ended by {_signal(-code)}"
        return f"it ended with code {code}; its last words are in the run's stderr"


class Framed(_Child):
    """A driver of ours in its runner's interpreter: `kit.serve` is the other side."""

    def _coded(self, message: Dict[str, Any], body: bytes = b"") -> bytes:
        return wire.encode(message, body)

    def _take(self) -> Optional[Dict[str, Any]]:
        found = wire.take(self._left)
        if found is None:
            return None
        header, body = found
        return {
            name: unpack(value, body) if name in ("action", "data") else value
            for name, value in header.items()
        }

    def _ask(self, view: View) -> None:
        try:
            tree, body = pack([view.observation, view.mask])
        except ParcelError as error:
            raise OperatorError(f"the observation does not reach it: {error}") from None
        self._send(
            {"ask": "act", "id": self._asked, "view": tree, "step": view.step, "return": view.returned}, body
        )


class Lines(_Child):
    """Any program: one JSON object a line, each way."""

    def _coded(self, message: Dict[str, Any], body: bytes = b"") -> bytes:
        del body
        return json.dumps(message, default=as_json, separators=(",", ":")).encode() + b"\n"

    def _take(self) -> Optional[Dict[str, Any]]:
        end = self._left.find(b"\n")
        if end < 0:
            if len(self._left) > _MAX_LINE:
                raise wire.WireError(f"a line without end, of more than {_MAX_LINE >> 20} MiB")
            return None
        line = bytes(self._left[:end])
        del self._left[: end + 1]
        try:
            found = json.loads(line)
        except ValueError:
            raise wire.WireError(
                f"a line that is not JSON: {_shown(line)}. What is for people goes to stderr"
            ) from None
        if not isinstance(found, dict):
            raise wire.WireError(f"a line that is not a JSON object: {_shown(line)}")
        return found

    def _ask(self, view: View) -> None:
        self._send(
            {
                "ask": "act",
                "id": self._asked,
                "actor": str(view.actor),
                "observation": view.observation,
                "mask": view.mask,
                "step": view.step,
                "return": view.returned,
            }
        )


def _shown(line: bytes) -> str:
    """The beginning of a line, as people can read it."""
    return repr(line[:120].decode(errors="replace"))


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of those that have no name
        return f"signal {number}"
