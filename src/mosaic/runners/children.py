"""Disposable children: their environment variables, and running one with a time limit. Trusts none."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["HEADLESS", "Ended", "child_environment", "run_child"]

HEADLESS = {
    "SDL_VIDEODRIVER": "dummy",
    "SDL_AUDIODRIVER": "dummy",
    "MUJOCO_GL": "egl",
    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
}
"""What lets environments draw without a screen; what the user has set wins."""

_OF_A_WORKER = ("MOSAIC_RUN_DIR", "MOSAIC_RUN_ID", "MOSAIC_RECORD", "MOSAIC_SOCKET", "MOSAIC_TOKEN_FILE")
_CHUNK = 1 << 16
_PIPE = 1 << 16
"""What a pipe takes without anybody reading: more is not given to a child."""


@dataclass(frozen=True)
class Ended:
    """How a child ended. `how` is empty when it ended well."""

    out: bytes
    err: str
    how: str


def child_environment(given: Mapping[str, str]) -> dict[str, str]:
    """The user's variables, nothing of ours that would record, no need for a screen."""
    kept = {name: value for name, value in given.items() if name not in _OF_A_WORKER}
    return {**HEADLESS, "PYTHONUNBUFFERED": "1", **kept}


def run_child(
    command: Sequence[str],
    *,
    timeout_secs: float,
    given: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    most_out: int = 1 << 20,
    kept_err: int = 1 << 16,
) -> Ended:
    """Run a child to its end, or to a limit: then it and all it started are killed.

    Args:
        command: the program and its arguments.
        timeout_secs: how long it may take.
        given: what it reads from stdin, at most 64 KiB.
        env: its environment; by default ours, made headless.
        cwd: where it runs.
        most_out: how much it may write to stdout before it is ended.
        kept_err: how much of the end of its stderr is kept.

    Raises:
        OSError: it cannot be started at all.
        ValueError: there is more to give it than a pipe takes.
    """
    if len(given) > _PIPE:
        raise ValueError(f"a child is given at most {_PIPE} bytes, not {len(given)}")
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(child_environment(os.environ) if env is None else env),
        cwd=cwd,
        start_new_session=True,  # so that whatever it starts goes with it
        bufsize=0,
    )
    with process:
        try:
            return _attend(process, given, timeout_secs=timeout_secs, most_out=most_out, kept_err=kept_err)
        finally:
            _kill(process)  # what it left in its session, and itself when we were interrupted


def _attend(
    process: subprocess.Popen[bytes], given: bytes, *, timeout_secs: float, most_out: int, kept_err: int
) -> Ended:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise ValueError("a child is attended by its three pipes")
    until = time.monotonic() + timeout_secs
    with contextlib.suppress(BrokenPipeError):  # it ended, or it does not read
        process.stdin.write(given)
    process.stdin.close()
    kept = {process.stdout: bytearray(), process.stderr: bytearray()}
    how = ""
    with selectors.DefaultSelector() as ready:
        for stream in kept:
            ready.register(stream, selectors.EVENT_READ)
        while ready.get_map() and not how:
            events = ready.select(max(0.0, until - time.monotonic()))
            if not events:
                how = f"did not answer within {timeout_secs:g} s and was ended"
            for key, _ in events:
                data = os.read(key.fd, _CHUNK)
                buffer = kept[key.fileobj]  # type: ignore[index]
                buffer += data
                if not data:
                    ready.unregister(key.fileobj)
                elif key.fileobj is process.stderr:
                    del buffer[:-kept_err]
                elif len(buffer) > most_out:
                    how = f"wrote more than {most_out} bytes and was ended"
    if not how:
        try:
            how = _how(process.wait(max(0.0, until - time.monotonic())))
        except subprocess.TimeoutExpired:
            how = f"did not end within {timeout_secs:g} s and was ended"
    return Ended(bytes(kept[process.stdout]), kept[process.stderr].decode("utf-8", "backslashreplace"), how)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _how(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}" if code else ""
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
