"""The next stretch of a source: how much of it is whole, what is odd, where a hole is.

Reads, never writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mosaic.protocol.codec import MAX_LINE_BYTES
from mosaic.store.batch import Batch, Hole, Odd, parse_journal, parse_text
from mosaic.store.sources import STDOUT

if TYPE_CHECKING:
    from mosaic.store.sources import SourceReader

__all__ = ["Taken", "take"]

_HEAD_BYTES = 64 << 10


@dataclass(frozen=True)
class Taken:
    """What was read: None when nothing is ready. `done`: the source has nothing more, for ever."""

    batch: Batch | None
    cursor: int
    done: bool


def take(
    reader: SourceReader, *, cursor: int, final: bool, next_seq: int, block_bytes: int = 1 << 20
) -> Taken:
    """The lines at a cursor, about a block of them. `final`: nobody writes to the source any more."""
    is_text = reader.source.name == STDOUT
    data = reader.read(cursor, block_bytes)
    at_end = len(data) < block_bytes
    if not data:
        return Taken(None, cursor, final)
    nul = -1 if is_text else data.find(b"\0")
    stretch = data if nul < 0 else data[:nul]
    whole = stretch.rfind(b"\n") + 1
    if whole:
        block = stretch[:whole]
        batch = (
            parse_text(block, offset=cursor)
            if is_text
            else parse_journal(block, offset=cursor, next_seq=next_seq)
        )
        return Taken(batch, cursor + whole, final and at_end and whole == len(data))
    stop = cursor + len(stretch)
    if nul < 0 and not at_end:
        stop, complete = reader.line_end(cursor, nul_ends=not is_text)
        if complete:
            return _take_long(reader, cursor, stop, next_seq)
    if not final:
        return Taken(None, cursor, done=False)  # its writer is still at it
    if is_text:
        return Taken(_last_text(reader, cursor, stop), stop, done=True)
    return _take_broken(reader, cursor, stop, next_seq)


def _take_long(reader: SourceReader, cursor: int, stop: int, next_seq: int) -> Taken:
    """One line longer than a block, up to the newline at `stop`."""
    is_text = reader.source.name == STDOUT
    if stop - cursor <= MAX_LINE_BYTES:
        line = reader.read(cursor, stop + 1 - cursor)
        batch = (
            parse_text(line, offset=cursor)
            if is_text
            else parse_journal(line, offset=cursor, next_seq=next_seq)
        )
    else:
        head = reader.read(cursor, _HEAD_BYTES)
        batch = Batch(next_seq=0 if is_text else next_seq + 1)
        if not is_text or (head.lstrip().startswith(b"{") and b'"type"' in head):
            reason = f"line of {stop - cursor} bytes is over the limit of {MAX_LINE_BYTES}"
            batch.odd.append(Odd(cursor, stop - cursor, reason, head))
    return Taken(batch, stop + 1, done=False)


def _take_broken(reader: SourceReader, cursor: int, stop: int, next_seq: int) -> Taken:
    """A line nobody will finish, up to `stop`, and the NULs after it, in a source nobody writes to."""
    resume = reader.next_data(stop)
    batch = Batch(
        next_seq=next_seq + (stop > cursor and resume is not None)
    )  # a broken line had a number too
    if stop > cursor:
        reason = "unfinished line: its writer died writing it" if resume is None else "line cut off by a hole"
        batch.odd.append(
            Odd(cursor, stop - cursor, reason, reader.read(cursor, min(stop - cursor, _HEAD_BYTES)))
        )
    if resume is None:
        return Taken(batch if batch.odd else None, stop, done=True)
    batch.holes.append(Hole(stop, resume - stop, None))
    return Taken(batch, resume, done=False)


def _last_text(reader: SourceReader, cursor: int, stop: int) -> Batch | None:
    """The last line of a program's output, which may lack its newline."""
    if stop - cursor > MAX_LINE_BYTES:
        return None
    return parse_text(reader.read(cursor, stop - cursor) + b"\n", offset=cursor)
