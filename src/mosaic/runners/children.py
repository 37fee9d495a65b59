"""Disposable children: their environment variables, and running one with a time limit. Trusts none."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
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
_KEPT_ERRORS = 64 << 10


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
) -> Ended:
    """Run a child to its end, or to the limit: then it and all it started are killed.

    Raises:
        OSError: it cannot be started at all.
    """
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(child_environment(os.environ) if env is None else env),
        cwd=cwd,
        start_new_session=True,  # so that whatever it starts goes with it
    )
    with process:
        try:
            out, err = process.communicate(given, timeout=timeout_secs)
            how = _how(process.returncode)
        except subprocess.TimeoutExpired:
            _kill(process)
            out, err = process.communicate()
            how = f"did not answer within {timeout_secs:g} s and was ended"
        finally:
            _kill(process)  # what it left in its session, and itself when we were interrupted
    return Ended(out, err[-_KEPT_ERRORS:].decode("utf-8", "backslashreplace"), how)


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
