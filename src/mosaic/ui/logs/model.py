"""What a run wrote, as harmless lines: bounded, filtered, without escape sequences. Qt-free."""

from __future__ import annotations

import codecs
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mosaic.text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["STREAMS", "Line", "Log", "Stream", "matches", "read_on"]

Stream = Literal["stdout", "stderr"]
STREAMS: tuple[Stream, Stream] = ("stdout", "stderr")

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\)|[@-Z\\-_])")
_FIRST_LOOK = 1 << 20


@dataclass(frozen=True)
class Line:
    """One line of output. Plain text, no control characters."""

    stream: Stream
    text: str


class Log:
    """The last lines of one run.

    A carriage return begins the line anew, as on a terminal: of a progress bar its last look is kept.

    Args:
        most_lines: older lines are forgotten, and counted.
        most_letters: a longer line is cut there.
    """

    def __init__(self, *, most_lines: int = 5000, most_letters: int = 4000) -> None:
        self.lines: deque[Line] = deque(maxlen=most_lines)
        self.forgotten = 0
        self._most_letters = most_letters
        self._decoders = {
            stream: codecs.getincrementaldecoder("utf-8")("backslashreplace") for stream in STREAMS
        }
        self._open = dict.fromkeys(STREAMS, "")

    def take(self, stream: Stream, data: bytes) -> list[Line]:
        """More bytes of a stream; returns the lines they completed."""
        text = self._open[stream] + self._decoders[stream].decode(data)
        *whole, rest = text.split("\n")
        self._open[stream] = _last_look(rest)[-4 * self._most_letters :]
        fresh = [Line(stream, self._clean(line)) for line in whole]
        self.forgotten += max(0, len(self.lines) + len(fresh) - (self.lines.maxlen or 0))
        self.lines.extend(fresh)
        return fresh

    def partial(self, stream: Stream) -> str:
        """The line that has no end yet."""
        return self._clean(self._open[stream])

    def matching(self, words: str, streams: tuple[Stream, ...] = STREAMS) -> list[Line]:
        """The lines of these streams that hold the text, whatever the case."""
        return [line for line in self.lines if matches(line, words, streams)]

    def _clean(self, line: str) -> str:
        text = visible(_ESCAPES.sub("", _last_look(line.removesuffix("\r"))), keep="\t")
        return text if len(text) <= self._most_letters else text[: self._most_letters] + "…"


def matches(line: Line, words: str, streams: tuple[Stream, ...]) -> bool:
    """Whether a line is to be shown."""
    return line.stream in streams and (not words or words.casefold() in line.text.casefold())


def read_on(
    paths: Mapping[Stream, Path], offsets: Mapping[Stream, int | None], *, most_bytes: int = 1 << 18
) -> dict[Stream, tuple[bytes, int]]:
    """The next bytes of each file, and where they end; from near its end when the offset is None.

    A file that does not exist has no bytes. One that shrank is read from its start.
    """
    found: dict[Stream, tuple[bytes, int]] = {}
    for stream, path in paths.items():
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                offset = offsets.get(stream)
                start = max(0, size - _FIRST_LOOK) if offset is None else offset if offset <= size else 0
                file.seek(start)
                data = file.read(_FIRST_LOOK if offset is None else most_bytes)
                end = start + len(data)
        except FileNotFoundError:
            continue
        if offset is None and start > 0:
            data = data[data.find(b"\n") + 1 :]
        found[stream] = (data, end)
    return found


def _last_look(line: str) -> str:
    """What a terminal shows of a line: what came after its last carriage return."""
    return line.rstrip("\r").rpartition("\r")[2]
