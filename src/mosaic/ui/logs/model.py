"""What a run wrote, as harmless lines: bounded, filtered, without escape sequences. Qt-free."""

from __future__ import annotations

import codecs
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mosaic.text import count, visible
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["STREAMS", "Line", "Log", "Stream"]

Stream = Literal["stdout", "stderr"]
STREAMS: tuple[Stream, Stream] = ("stdout", "stderr")

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2048}(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True)
class Line:
    """One line of output. Plain text, no control characters."""

    stream: Stream
    text: str


class Log:
    """The last lines of one run, and which of them are wanted.

    A carriage return begins the line anew, as on a terminal: of a progress bar its last look is kept.

    Args:
        most_lines: older lines are forgotten, and counted.
        most_letters: a longer line is cut there.
    """

    def __init__(self, *, most_lines: int = 5000, most_letters: int = 4000) -> None:
        self.turned: Signal[[]] = Signal()
        """It is another run's."""
        self.changed: Signal[[]] = Signal()
        """Other lines are wanted."""
        self.grew: Signal[[list[Line]]] = Signal()
        """More was written: the lines that are new, wanted or not; none when only the last one grew."""
        self.most_lines = most_lines
        self.run_id: str | None = None
        self.words = ""
        self.streams: tuple[Stream, ...] = STREAMS
        self._most_letters = most_letters
        self._forget()

    def turn_to(self, run_id: str | None) -> None:
        """Begin the log of another run; what is wanted of it stays."""
        self.run_id = run_id
        self._forget()
        self.turned.emit()

    def want(self, *, words: str | None = None, streams: tuple[Stream, ...] | None = None) -> None:
        """Want the lines that hold these words, or the ones of these streams."""
        wanted = (self.words if words is None else words, self.streams if streams is None else streams)
        if wanted != (self.words, self.streams):
            self.words, self.streams = wanted
            self.changed.emit()

    def take_all(self, data: Mapping[Stream, bytes]) -> None:
        """More bytes of each stream, read at once."""
        fresh = [line for stream, more in data.items() for line in self.take(stream, more)]
        self.grew.emit(fresh)

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

    def wanted(self, lines: Iterable[Line] | None = None) -> list[Line]:
        """Those of the lines, by default of all, that are wanted: whatever the case of their letters."""
        words = self.words.casefold()
        return [
            line
            for line in (self.lines if lines is None else lines)
            if line.stream in self.streams and words in line.text.casefold()
        ]

    @property
    def being_written(self) -> str:
        """What the wanted streams have written since their last line ended."""
        parts = [self.partial(stream) for stream in self.streams]
        return "  ".join(part for part in parts if part)

    @property
    def said(self) -> str:
        """How much was written."""
        if not self.lines:
            return "nothing written yet"
        lines = _lines(len(self.lines))
        return f"{lines}, {_lines(self.forgotten, 'older ')} not shown" if self.forgotten else lines

    def _forget(self) -> None:
        self.lines: deque[Line] = deque(maxlen=self.most_lines)
        self.forgotten = 0
        self._decoders = {
            stream: codecs.getincrementaldecoder("utf-8")("backslashreplace") for stream in STREAMS
        }
        self._open = dict.fromkeys(STREAMS, "")

    def _clean(self, line: str) -> str:
        text = visible(_ESCAPES.sub("", _last_look(line.removesuffix("\r"))), keep="\t")
        return text if len(text) <= self._most_letters else text[: self._most_letters] + "…"


def _lines(number: int, which: str = "") -> str:
    return f"{count(number)} {which}line{'' if number == 1 else 's'}"


def _last_look(line: str) -> str:
    """What a terminal shows of a line: what came after its last carriage return."""
    return line.rstrip("\r").rpartition("\r")[2]
