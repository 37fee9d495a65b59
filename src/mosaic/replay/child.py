"""The disposable process that simulates: started, asked, waited for with a bound, ended. Never trusted.

Whatever goes wrong in it, a crash of the interpreter included, is a `ReplayError` here with its last words.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from mosaic.errors import ConsentNeededError, ReplayCancelledError, ReplayError
from mosaic.replay.interpreter import environment
from mosaic_worker.common import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType

    from mosaic.replay.interpreter import Interpreter

__all__ = ["Child"]

_CHUNK = 1 << 20


class Child:
    """One replay process. A context manager.

    Args:
        site: the folder with the copy of `mosaic_worker` it runs.
        interpreter: the interpreter and where it runs.
        program: which package of `mosaic_worker` it runs.
        silence_secs: how long it may say nothing while it works.
        end_secs: how long it may take to leave before it is killed.
        last_lines: how much of what it wrote to stderr is remembered.
    """

    def __init__(
        self,
        site: Path,
        interpreter: Interpreter,
        *,
        program: str = "replay",
        silence_secs: float = 120.0,
        end_secs: float = 2.0,
        last_lines: int = 20,
    ) -> None:
        self._silence_secs = silence_secs
        self._end_secs = end_secs
        self._cancelled = threading.Event()
        self._said: deque[str] = deque(maxlen=last_lines)
        self._buffer = bytearray()
        self.answered: dict[str, Any] = {}
        """The last answer to the last request that was answered to its end."""
        self._python = interpreter.python
        self._name = f"the {program} process"
        try:
            self._process = subprocess.Popen(
                [interpreter.python, str(site / "mosaic_worker" / program / "__main__.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=interpreter.cwd,
                env=environment(os.environ),
                start_new_session=True,  # Ctrl-C is for us; we end it
                bufsize=0,
            )
        except OSError as error:
            raise ReplayError(f"cannot start {interpreter.python}: {error.strerror}") from error
        self._listener = threading.Thread(target=self._listen, name=f"{program} stderr", daemon=True)
        self._listener.start()

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def cancel(self) -> None:
        """End the process: the call under way, in whichever thread, raises `ReplayCancelledError`."""
        self._cancelled.set()
        self._kill()

    def ask(
        self,
        request: dict[str, Any],
        body: bytes = b"",
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> dict[str, Any]:
        """Ask, and wait for the one answer.

        Raises:
            ReplayError: it failed, fell silent, or its process ended.
            ConsentNeededError: a module would have to be allowed first.
            ReplayCancelledError: `cancel` was called.
        """
        for header, _ in self.stream(request, body, progress=progress):
            raise ReplayError(f"{self._name} answered with {header.get('type')!r}, which nobody asked for")
        return self.answered

    def stream(
        self,
        request: dict[str, Any],
        body: bytes = b"",
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Ask, and get the answers before the last as they come. See `ask`."""
        self._send(wire.encode(request, body))
        while True:
            header, raw = self._next()
            kind = header.get("type")
            if kind == "done":
                self.answered = header
                return
            if kind == "error":
                self._fail(header)
            if kind == "progress":
                if progress is not None:
                    progress(int(header.get("done", 0)), int(header.get("of", 0)))
            elif kind != "hello":
                yield header, raw

    def _fail(self, header: dict[str, Any]) -> None:
        text = str(header.get("text"))[:2000]
        if header.get("kind") == "consent":
            raise ConsentNeededError(
                f"its environment comes from module {text!r}, which must be imported. If you trust it, "
                f"allow it: --allow-import {text}",
                module=text,
            )
        raise ReplayError(text)

    def _send(self, data: bytes) -> None:
        stdin = self._process.stdin
        view, until = memoryview(data), time.monotonic() + self._silence_secs
        if stdin is None or stdin.closed:
            raise self._ended()
        os.set_blocking(stdin.fileno(), False)
        while view:
            if not select.select([], [stdin], [], max(0.0, until - time.monotonic()))[1]:
                raise self._silent()
            try:
                view = view[stdin.write(view) or 0 :]
            except BrokenPipeError:
                raise self._ended() from None

    def _next(self) -> tuple[dict[str, Any], bytes]:
        stdout = self._process.stdout
        if stdout is None or stdout.closed:
            raise self._ended()
        until = time.monotonic() + self._silence_secs
        try:
            while (message := wire.take(self._buffer)) is None:
                if not select.select([stdout], [], [], max(0.0, until - time.monotonic()))[0]:
                    raise self._silent()
                data = stdout.read(_CHUNK)
                if not data:
                    raise self._ended()
                self._buffer += data
        except wire.WireError as error:
            self._kill()
            raise ReplayError(f"{self._name} does not keep to the protocol: {error}") from error
        return message

    def _silent(self) -> ReplayError:
        self._kill()
        return ReplayError(
            f"{self._name} said nothing for {self._silence_secs:g} s and was ended{self._words()}"
        )

    def _ended(self) -> ReplayError:
        if self._cancelled.is_set():
            return ReplayCancelledError("the replay was cancelled")
        self._kill()
        code = self._process.returncode
        how = (
            f"was killed by signal {-code} ({_name(-code)})"
            if code and code < 0
            else f"ended with code {code}"
        )
        return ReplayError(f"{self._name} ({self._python}) {how}{self._words()}")

    def _words(self) -> str:
        self._listener.join(self._end_secs)
        lines = [line for line in self._said if line.strip()]
        return ". Its last words:\n" + "\n".join(f"  {line}" for line in lines[-6:]) if lines else ""

    def _listen(self) -> None:
        stream = self._process.stderr
        rest = b""
        while stream is not None:
            try:
                data = os.read(stream.fileno(), 1 << 16)
            except (OSError, ValueError):  # closed under us
                return
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            rest = rest[-4096:]
            self._said.extend(line[-1000:].decode("utf-8", "backslashreplace") for line in lines)
        if rest:
            self._said.append(rest.decode("utf-8", "backslashreplace"))

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """End the process: asked by closing its input, then killed. Twice is fine."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(self._end_secs)
        self._kill()
        self._listener.join(self._end_secs)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
