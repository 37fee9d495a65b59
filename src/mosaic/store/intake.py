"""The next stretch of a source: how much of it is whole, what is odd, where a hole is.

Each byte is looked at once however slowly its line grows. A line longer than any event may be is passed over
piece by piece, and costs one entry in quarantine when its end is found. Reads, never writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mosaic.protocol.codec import MAX_LINE_BYTES
from mosaic.runs.output import GAP
from mosaic.store.batch import Batch, Hole, Odd, parse_journal, parse_text
from mosaic.store.sources import STDOUT

if TYPE_CHECKING:
    from mosaic.store.sources import SourceReader

__all__ = ["HEAD_BYTES", "Mark", "Taken", "looks_like_event", "take"]

HEAD_BYTES = 64 << 10
"""What the store keeps of an odd line."""


@dataclass(frozen=True)
class Mark:
    """How far a source has been read: all before `cursor` is settled, and no line ends before `seen`."""

    cursor: int = 0
    seen: int = 0
    line: int | None = None
    """Where the line began that the cursor stands in; None: the cursor stands where a line begins."""

    @property
    def start(self) -> int:
        """Where the line begins that is read next, or passed over."""
        return self.cursor if self.line is None else self.line


@dataclass(frozen=True)
class Taken:
    """What was read, and how far.

    `waiting`: nothing more comes unless its writer goes on. `done`: the source has nothing more, for ever.
    """

    batch: Batch | None
    mark: Mark
    done: bool = False
    waiting: bool = False


def take(
    reader: SourceReader, mark: Mark, *, final: bool, next_seq: int, block_bytes: int = 1 << 20
) -> Taken:
    """The lines at a mark, about a block of them. `final`: nobody writes to the source any more."""
    is_text = reader.source.name == STDOUT
    begin = max(mark.cursor, mark.seen)
    data = reader.read(begin, block_bytes)
    nul = -1 if is_text else data.find(b"\0")
    stretch = data if nul < 0 else data[:nul]
    if begin == mark.start:
        whole = stretch.rfind(b"\n") + 1
        if whole:
            batch = _parse(stretch[:whole], is_text=is_text, offset=begin, next_seq=next_seq)
            done = final and len(data) < block_bytes and whole == len(data)
            if done:
                batch.holes += _lost_end(reader, begin + whole)
            # NULs right behind the last line: what comes next is not written yet, as far as was read.
            return Taken(batch, Mark(begin + whole), done=done, waiting=not final and whole == nul)
    elif (newline := stretch.find(b"\n")) >= 0:
        return _take_long(reader, mark.start, begin + newline, next_seq)
    stop = begin + len(stretch)
    if is_text and stretch.endswith(GAP):
        stop = reader.over_gap(stop)
    waiting = nul >= 0 or len(data) < block_bytes
    if not waiting or not final:
        too_long = stop - mark.start > MAX_LINE_BYTES
        ahead = Mark(stop, line=mark.start) if too_long else Mark(mark.cursor, seen=stop)
        return Taken(None, ahead, waiting=waiting)
    if is_text:
        return Taken(_last_text(reader, mark.start, stop), Mark(stop), done=True)
    return _take_broken(reader, mark.start, stop, next_seq)


def looks_like_event(head: bytes) -> bool:
    """Whether a line of a program's output means to be an event; other text is left alone."""
    return head.lstrip().startswith(b"{") and b'"type"' in head.partition(GAP)[0]


def _parse(lines: bytes, *, is_text: bool, offset: int, next_seq: int) -> Batch:
    if is_text:
        return parse_text(lines, offset=offset)
    return parse_journal(lines, offset=offset, next_seq=next_seq)


def _take_long(reader: SourceReader, start: int, stop: int, next_seq: int) -> Taken:
    """One line that was not seen in one piece, up to the newline at `stop`."""
    is_text = reader.source.name == STDOUT
    if stop - start <= MAX_LINE_BYTES:
        line = reader.read(start, stop + 1 - start)
        batch = _parse(line, is_text=is_text, offset=start, next_seq=next_seq)
    else:
        batch = Batch(next_seq=0 if is_text else next_seq + 1)
        batch.odd += _over_limit(reader, start, stop)
    return Taken(batch, Mark(stop + 1))


def _over_limit(reader: SourceReader, start: int, stop: int) -> list[Odd]:
    """A line longer than any event may be, as far as it means to be one."""
    head = reader.read(start, min(stop - start, HEAD_BYTES))
    if reader.source.name == STDOUT and not looks_like_event(head):
        return []
    reason = f"line of {stop - start} bytes is over the limit of {MAX_LINE_BYTES}"
    return [Odd(start, stop - start, reason, head)]


def _take_broken(reader: SourceReader, start: int, stop: int, next_seq: int) -> Taken:
    """A line nobody will finish, up to `stop`, and the NULs after it, in a source nobody writes to."""
    resume = reader.next_data(stop)
    batch = Batch(next_seq=next_seq + (stop > start and resume is not None))  # a broken line had a number too
    if stop > start:
        reason = "unfinished line: its writer died writing it" if resume is None else "line cut off by a hole"
        batch.odd.append(Odd(start, stop - start, reason, reader.read(start, min(stop - start, HEAD_BYTES))))
    if resume is None:
        batch.holes += _lost_end(reader, stop)
        return Taken(batch if batch.odd or batch.holes else None, Mark(stop), done=True)
    batch.holes.append(Hole(stop, resume - stop, None))
    return Taken(batch, Mark(resume))


def _lost_end(reader: SourceReader, stop: int) -> list[Hole]:
    """What is missing after the last byte of a sealed segment, which has no NULs to fill it up."""
    lost = max(0, reader.sealed_bytes - stop)
    return [Hole(stop, lost, None)] if lost or reader.cut else []


def _last_text(reader: SourceReader, start: int, stop: int) -> Batch | None:
    """The last line of a program's output, which may lack its newline."""
    if stop == start:
        return None
    if stop - start > MAX_LINE_BYTES:
        return Batch(odd=_over_limit(reader, start, stop))
    return parse_text(reader.read(start, stop - start) + b"\n", offset=start)
