"""What the client hands out beyond the rows of the protocol. Pure data."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from mosaic.protocol.rows import StepRow
from mosaic.protocol.runs import RunRow  # noqa: TC001  (msgspec reads the annotations)

__all__ = ["Batch", "DaemonStatus", "EventRow", "LogPage", "RunChange", "Skipped", "StepOf"]

T = TypeVar("T")

StepOf = tuple[str, StepRow]
"""One step with the id of its episode."""


class Skipped(msgspec.Struct, frozen=True):
    """What a coalesced reader was not sent: rows with `from_seq < seq <= to_seq`. They are in the store."""

    from_seq: int
    to_seq: int


class Batch(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Some rows of a stream. `next_seq` is the `since_seq` that goes on after them."""

    rows: list[T]
    next_seq: int
    live: bool = False
    skipped: Skipped | None = None


class EventRow(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a kind that has no row type of its own: its JSON, with all that it said."""

    seq: int
    type: str
    json: bytes


class LogPage(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a run's output. `ended`: the run is over and this was the last of it."""

    data: bytes
    next_offset: int
    ended: bool


class RunChange(msgspec.Struct, frozen=True, kw_only=True):
    """News of the runs. `caught_up` comes once, without a row: all that was there has been sent."""

    row: RunRow | None = None
    deleted: bool = False
    caught_up: bool = False


class DaemonStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How the daemon is. `faults` counts unexpected exceptions it survived; its log has them."""

    version: str
    protocol: int
    pid: int
    home: str
    started: float
    runs: dict[str, int] = {}
    faults: int = 0
    last_fault: str = ""
    streams: int = 0
    publishers: int = 0
