"""Which Python replays a run, and with which environment variables. Starts nothing.

The one that recorded it, when it is still there: other versions may simulate otherwise. A run that came
from another machine names interpreters of that machine: what it names is not run here, the present one is.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mosaic.errors import ReplayError, StoreError
from mosaic.protocol.branches import origin_of
from mosaic.runners.children import child_environment
from mosaic.runs.folder import read_manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.paths import RunFolder
    from mosaic.store.reader import StoreReader

__all__ = ["Interpreter", "environment", "interpreter_of"]

_A_PYTHON = re.compile(r"(python|pypy)[0-9.]*")


class Interpreter(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run's episodes are replayed: the interpreter, the working folder, where its own modules lie."""

    python: str
    cwd: str
    path: list[str]
    argv: list[str] = []
    """The words after the script's name."""
    note: str = ""


def interpreter_of(
    folder: RunFolder, reader: StoreReader, *, producer: str = "", python: str | None = None
) -> Interpreter:
    """The interpreter for a run.

    Args:
        folder: the run.
        reader: its store.
        producer: the process that recorded the episode; each may have had its own interpreter.
        python: an interpreter to use instead of the recorded one.

    Raises:
        ReplayError: the interpreter asked for is not there.
    """
    recorded, argv = _hello(reader, producer)
    try:
        manifest = read_manifest(folder)
        cwd, from_here = manifest.spec.cwd, manifest.host in ("", socket.gethostname())
    except StoreError:
        cwd, from_here = "", False
    origin = origin_of(reader.config().args)
    script = [str((Path(cwd) / argv[0]).parent)] if argv and argv[0].endswith(".py") else []
    path = [entry for entry in (*(script if origin is None else origin.path), cwd) if entry]
    start_in = cwd if cwd and Path(cwd).is_dir() else "/"
    if python is not None:
        if not os.access(python, os.X_OK):
            raise ReplayError(
                f"there is no interpreter {python}. Name one that has the run's environment installed."
            )
        return Interpreter(python=str(Path(python).absolute()), cwd=start_in, path=path, argv=argv[1:])
    if recorded and from_here and _usable(recorded):
        return Interpreter(python=recorded, cwd=start_in, path=path, argv=argv[1:])
    why = "" if recorded == sys.executable else _why(recorded, from_here=from_here)
    return Interpreter(python=sys.executable, cwd=start_in, path=path, argv=argv[1:], note=why)


def _why(recorded: str, *, from_here: bool) -> str:
    if not recorded:
        return "which interpreter recorded it is not known; replayed with MOSAIC's own"
    if not from_here:
        return "it was recorded on another machine; replayed with MOSAIC's own interpreter (see --python)"
    return f"the interpreter that recorded it, {recorded}, is gone; replayed with MOSAIC's own (see --python)"


def _usable(path: str) -> bool:
    """Whether it is a Python here. The record may be a stranger's: no other program is started from it."""
    return (
        Path(path).is_absolute()
        and _A_PYTHON.fullmatch(Path(path).name) is not None
        and os.access(path, os.X_OK)
    )


def _hello(reader: StoreReader, producer: str) -> tuple[str, list[str]]:
    found: tuple[str, list[str]] = ("", [])
    for _, _, data in reader.events("hello"):
        event = msgspec.json.decode(data)
        if event.get("executable") and (not found[0] or event.get("producer") == producer):
            found = str(event["executable"]), [str(word) for word in event.get("argv") or ()]
    return found


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """A replay child's variables: the user's, nothing of ours that would record, no need for a screen."""
    return child_environment(given)
