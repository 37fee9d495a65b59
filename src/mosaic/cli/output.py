"""How commands speak: results on stdout, everything else on stderr, colour only for people.

JSON written here never contains a bare NaN or Infinity: `floats.to_json` names them.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.protocol import floats
from mosaic.protocol.runs import RunState
from mosaic.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "abandon_stdout",
    "cells",
    "coloured",
    "note",
    "paint",
    "paint_state",
    "plain",
    "to_line",
    "write_json",
    "write_json_lines",
]

_STATE_COLOURS = {
    RunState.RUNNING: "32",
    RunState.STARTING: "32",
    RunState.FINISHED: "36",
    RunState.FAILED: "31;1",
    RunState.LOST: "31;1",
    RunState.UNREADABLE: "31;1",
    RunState.ORPHANED: "33;1",
    RunState.PAUSED: "33",
    RunState.STOPPING: "33",
    RunState.QUEUED: "34",
    RunState.STOPPED: "35",
}
_BROKEN_PIPE = 128 + 13  # as a shell tells it
_encoder = msgspec.json.Encoder()


def plain(value: Any) -> Any:
    """A struct as plain JSON values, non-finite floats by name."""
    return _finite(msgspec.to_builtins(value))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return floats.to_json(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def to_line(value: Any) -> str:
    """One JSON line of a struct, without its newline."""
    return _encoder.encode(plain(value)).decode()


def write_json(value: Any) -> None:
    """One readable JSON document on stdout."""
    text = msgspec.json.format(_encoder.encode(plain(value)), indent=2).decode()
    sys.stdout.write(text + "\n")


def write_json_lines(values: Iterable[Any]) -> None:
    """One JSON line per value on stdout."""
    for value in values:
        sys.stdout.write(to_line(value) + "\n")


def note(text: str) -> None:
    """Something said beside the result: one line on stderr."""
    sys.stderr.write(visible(text, keep="\n") + "\n")
    sys.stderr.flush()


def cells() -> int | None:
    """The terminal's width, or None when stdout is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def coloured() -> bool:
    """Whether stdout wants colour: a terminal, and nobody said no."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(code: str, text: str) -> str:
    """The text in that colour, when colour is wanted."""
    return f"\x1b[{code}m{text}\x1b[0m" if coloured() else text


def paint_state(state: RunState, text: str) -> str:
    """The text in the colour of a state."""
    return paint(_STATE_COLOURS[state], text)


def abandon_stdout() -> int:
    """The reader (head, less) has left: make Python's exit quiet about it. The exit code to leave with."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    return _BROKEN_PIPE
