"""`python -m mosaic.daemon --home PATH [--foreground]`: become the daemon of a data root.

Without `--foreground` it leaves its caller's terminal; the command then returns once the daemon
answers, or with what it had to say. gRPC is imported only after that fork, as it must not live through one.
"""

from __future__ import annotations

import argparse
import asyncio
import faulthandler
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mosaic import settings as settings_
from mosaic.errors import DataRootError, MosaicError
from mosaic.paths import DataRoot, data_root
from mosaic.rpc.launch import EXIT_BAD_ROOT, daemon_environment, daemon_running

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["main"]


class _End(NamedTuple):
    """How the daemon ended: its exit code, and why if it never began."""

    code: int
    words: str = ""


def main(argv: list[str] | None = None) -> int:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m mosaic.daemon", description="The MOSAIC daemon.")
    parser.add_argument("--home", type=Path, help="the data root (default: MOSAIC_HOME)")
    parser.add_argument("--foreground", action="store_true", help="stay in this terminal")
    options = parser.parse_args(argv)
    root = DataRoot(options.home.absolute()) if options.home else data_root()
    if argv is None:
        _leave_behind(root)
    os.environ["MOSAIC_HOME"] = str(root.path)
    end = _serve(root, on_ready=lambda: None) if options.foreground else _serve_detached(root)
    if end.words:
        sys.stderr.write(f"{end.words}\n")
    return end.code


def _leave_behind(root: DataRoot) -> None:
    """Start over without the caller's variables, if there are any that a daemon does not need.

    What a process was started with stays readable in /proc as long as it lives: deleting it is not enough.
    """
    env = daemon_environment(root, os.environ)
    if os.environ.keys() - env.keys():
        os.execve(sys.executable, sys.orig_argv, env)  # noqa: S606  (ourselves, with the same words)


def _serve(root: DataRoot, *, on_ready: Callable[[], None], log_errors: bool = False) -> _End:
    """Be the daemon until told to stop. Does nothing when there is one already."""
    if daemon_running(root):
        on_ready()
        return _End(0)
    from mosaic.daemon.server import Server, claim, log_to  # noqa: PLC0415  (imports gRPC)

    try:
        lock = claim(root)
    except BlockingIOError:
        on_ready()  # somebody else is the daemon, which is as good
        return _End(0)
    except MosaicError as error:
        return _refusal(error)
    try:
        with lock:
            if log_errors:  # what the interpreter or C code says at its end
                errors = os.open(
                    root.daemon_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
                )
                os.dup2(errors, 2)
                os.close(errors)
            faulthandler.enable()
            log_to(root)
            server = Server(root, settings_.load(root), lock=lock)
            asyncio.run(server.serve(on_ready=on_ready))
    except MosaicError as error:
        return _refusal(error)
    return _End(0)


def _refusal(error: MosaicError) -> _End:
    return _End(EXIT_BAD_ROOT if isinstance(error, DataRootError) else 1, str(error))


def _serve_detached(root: DataRoot) -> _End:
    """Fork the daemon off, away from this terminal, and wait for its first word."""
    reader, writer = os.pipe()
    if os.fork() != 0:
        os.close(writer)
        with os.fdopen(reader, "rb") as heard:
            said = heard.read().decode("utf-8", "replace")
        code, _, reason = said.partition(" ")
        if code.isdigit():
            return _End(int(code), reason)
        return _End(1, f"the daemon of {root.path} died at its start; see {root.daemon_log}\n{said}".strip())
    os.close(reader)
    os.setsid()
    if os.fork() != 0:
        os._exit(0)  # not a session leader: the daemon can never get a terminal
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.dup2(writer, 2)  # until there is a log, a traceback goes to the caller
    os.close(nothing)
    with os.fdopen(writer, "wb") as words:

        def say(end: _End) -> None:
            if not words.closed:
                words.write(f"{end.code} {end.words}".encode())
                words.close()

        end = _serve(root, on_ready=lambda: say(_End(0)), log_errors=True)
        say(end)
    return _End(end.code)


if __name__ == "__main__":
    sys.exit(main())
