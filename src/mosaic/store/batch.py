"""Journal bytes to events, holes and odd lines. Pure: bytes in, structs out; every byte is accounted for.

A line is complete when it ends in a newline and holds no NUL byte. A block of plain lines is decoded in one
call; a block with anything odd in it is walked line by line, so that an odd line costs exactly itself.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mosaic.errors import ProtocolError
from mosaic.protocol import codec, floats
from mosaic.protocol.codec import Unknown
from mosaic.protocol.events import Episode, Event, Step
from mosaic.store.columns import to_columns
from mosaic.store.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mosaic.store.chunks import Steps

__all__ = ["Batch", "Hole", "Odd", "event_like", "parse_journal", "parse_text"]

_NEWLINE, _OPEN, _CLOSE = b"\n{}"
_EVENT_LIKE = re.compile(rb'^[ \t\r\v\f]*\{[^\n]*"type"[^\n]*', re.MULTILINE)
_GAP = bytes(4096)  # as in mosaic.runs.output
_INT64 = range(-(1 << 63), 1 << 63)
_COUNTS: dict[type, str] = {Step: "step", Episode: "steps"}
_FLOATS: dict[type, tuple[str, ...]] = {kind.event: kind.floats for kind in KINDS.values()}


@dataclass(frozen=True)
class Odd:
    """A line that is not an event, and why.

    `line` may be only the start of a very long one; `length` is the truth.
    """

    offset: int
    length: int
    reason: str
    line: bytes


@dataclass(frozen=True)
class Hole:
    """Bytes (NULs in a finished segment) or events (numbers left out) that should be there and are not."""

    offset: int
    bytes: int
    missing: int | None
    leading: bool = False
    """No event of the same stretch comes before it."""


@dataclass
class Batch:
    """What a stretch of a source said: `count` events; indices (and `steps.seq`) count from 0 within it."""

    count: int = 0
    steps: Steps | None = None
    step_ids: list[str] = field(default_factory=list)
    others: list[tuple[int, Event | Unknown]] = field(default_factory=list)
    extras: dict[int, bytes] = field(default_factory=dict)
    odd: list[Odd] = field(default_factory=list)
    holes: list[Hole] = field(default_factory=list)
    next_seq: int = 0


def parse_journal(block: bytes, *, offset: int, next_seq: int) -> Batch:
    """The events of whole lines without NULs that stand at `offset` of a segment; `next_seq` is due."""
    events = _decode_plain(block)
    if events is not None:
        seqs = [event.seq for event in events]
        if seqs == list(range(next_seq, next_seq + len(seqs))):
            try:
                return _columns(events, Batch(next_seq=next_seq + len(seqs)))
            except ProtocolError:
                pass  # some step does not fit: the walk finds out which
    batch, walked = Batch(), list[Event | Unknown]()
    odd_since = 0
    for start, line in _lines(block):
        if not line.strip():
            continue
        event = _walk(batch, len(walked), line, offset + start)
        if event is None:
            odd_since += 1
            continue
        walked.append(event)
        seq = _seq_of(event)
        if seq is None:
            continue
        missing = seq - next_seq - odd_since  # an odd line had a number too
        if missing > 0:
            batch.holes.append(Hole(offset + start, 0, missing, leading=len(walked) == 1))
        next_seq, odd_since = max(next_seq, seq + 1), 0
    batch.next_seq = next_seq + odd_since
    return _columns(walked, batch)


def parse_text(block: bytes, *, offset: int) -> Batch:
    """The events among whole lines of a program's own output. Other text is left alone."""
    if b'"type"' not in block:
        return Batch()
    events = _decode_plain(block)
    if events is not None:
        try:
            return _columns(events, Batch())
        except ProtocolError:
            pass
    batch, walked = Batch(), list[Event | Unknown]()
    for start, line in event_like(block):
        event = _walk(batch, len(walked), line.strip(), offset + start)
        if event is not None:
            walked.append(event)
    return _columns(walked, batch)


def event_like(block: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a program's own output that mean to be events, and where they begin.

    What means to be an event is not dropped for its log's quota. So a line that says so only after a gap is
    the rest of several, and text; one that says so before it lost a part in some other way.
    """
    if b'"type"' in block:
        for match in _EVENT_LIKE.finditer(block):
            if b'"type"' in match[0].partition(_GAP)[0]:
                yield match.start(), match[0]


def _decode_plain(block: bytes) -> list[Event] | None:
    """The fast road; None when any line of the block needs a closer look."""
    letters = np.frombuffer(block, np.uint8)
    breaks = np.flatnonzero(letters == _NEWLINE)
    # `}` newline `{` cannot stand inside one JSON value: so each line is a value of its own, or several.
    if (
        letters[0] != _OPEN
        or (letters[breaks - 1] != _CLOSE).any()
        or (letters[breaks[:-1] + 1] != _OPEN).any()
    ):
        return None
    try:
        if not block.isascii():
            block.decode("utf-8")
        events = codec.decode_lines(block)
    except (ProtocolError, UnicodeDecodeError):
        return None
    return events if len(events) == len(breaks) else None


def _columns(events: Sequence[Event | Unknown], batch: Batch) -> Batch:
    """Sort the events into steps, as columns, and others.

    Raises:
        ProtocolError: one of them holds a value no column can hold.
    """
    batch.count = len(events)
    batch.others = [(index, event) for index, event in enumerate(events) if type(event) is not Step]
    for _, event in batch.others:
        _check(event)
    steps = [event for event in events if type(event) is Step]
    if steps:
        indices = np.arange(batch.count)
        extras: dict[int, bytes] = {}
        if batch.others:
            indices = np.delete(indices, [index for index, _ in batch.others])
        if batch.extras:
            extras = {
                at: batch.extras[index] for at, index in enumerate(indices.tolist()) if index in batch.extras
            }
        batch.steps = to_columns(steps, indices, extras)
        batch.step_ids = [event.episode_id for event in steps]
    return batch


def _walk(batch: Batch, index: int, line: bytes, offset: int) -> Event | Unknown | None:
    """The event of one line, or None when it is odd; then the batch holds it as such."""
    try:
        line.decode("utf-8")
        decoded = codec.decode_line(line)
        _check(decoded.event)
    except UnicodeDecodeError as error:
        batch.odd.append(Odd(offset, len(line), f"not UTF-8: {error.reason} at byte {error.start}", line))
        return None
    except ProtocolError as error:
        batch.odd.append(Odd(offset, len(line), str(error), line))
        return None
    if decoded.extra is not None:
        batch.extras[index] = decoded.extra
    return decoded.event


def _check(event: Event | Unknown) -> None:
    """Refuse what no column could hold.

    Raises:
        ProtocolError: a float field holds a string that names no float, or a count does not fit 64 bits.
    """
    if isinstance(event, Unknown):
        return
    counted = _COUNTS.get(type(event))
    if counted is not None and getattr(event, counted) not in _INT64:
        raise ProtocolError(f"{counted} {getattr(event, counted)} does not fit 64 bits")
    for name in _FLOATS[type(event)]:
        value = getattr(event, name)
        if isinstance(value, str):
            floats.from_json(value)


def _seq_of(event: Event | Unknown) -> int | None:
    if not isinstance(event, Unknown):
        return event.seq
    seq = json.loads(event.raw, parse_constant=float).get("seq")
    return seq if isinstance(seq, int) and not isinstance(seq, bool) else None


def _lines(block: bytes) -> Iterator[tuple[int, bytes]]:
    start = 0
    while start < len(block):
        end = block.index(b"\n", start)
        yield start, block[start:end]
        start = end + 1
