"""One episode while it is being stored: its row, its roll-up, and what is still to be written of it.

No SQL here beyond the row's columns; `writer` reads and writes them.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.protocol import floats
from mosaic.protocol.counting import known_role, mark_of, outcome_of, role_of
from mosaic.protocol.ready import ready
from mosaic.protocol.rows import EpisodeRow
from mosaic.store.chunks import TERMINATED
from mosaic.store.episode_rows import ENDED, MARK_SHIFT, TOLD, join_id
from mosaic.store.schema import int_to_sql, to_float, to_int, to_sql

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.protocol.events import Episode, Reset
    from mosaic.store.chunks import Steps

__all__ = ["Live", "Span", "row_of"]

_INT, _FLOAT = struct.Struct("<q"), struct.Struct("<d")

Span = tuple["Steps", int, int]


@dataclass(slots=True)
class Live:
    """An episode being written. `pending` spans are in no table yet; `live_*` are in live chunks."""

    episode_id: str
    index: int
    prefix: int
    number: int
    seq: int = 0
    flags: int = 0
    steps: int = 0
    return_: float = 0.0
    t_start: float | None = None
    t_end: float | None = None
    env: int | None = None
    env_index: int = 0
    pack: int | None = None
    seed: int | None = None
    outcome: str | None = None
    role: str | None = None
    agent: str | None = None
    group: str | None = None
    counted: int = 0
    summed: float = 0.0
    live_rows: int = 0
    live_steps: int = 0
    pending_steps: int = 0
    alone: bool = False
    reset: bytes | None = None
    has_reset: bool = False
    dirty: bool = True
    curve: tuple[float, float, int, int] | None = None
    pending: list[Span] = field(default_factory=list)

    @property
    def waiting(self) -> int:
        """Steps that are not in their final chunk."""
        return self.live_steps + self.pending_steps

    @property
    def mark(self) -> int:
        """How it ended and what it was for, as one small number."""
        return mark_of(self.outcome, self.role)

    @property
    def point(self) -> tuple[float, float, int, int]:
        """What the return curve keeps of it beside its index."""
        return self.t_end or 0.0, self.return_, self.steps, self.mark

    def add_steps(self, block: Steps, start: int, stop: int, rewards: list[float]) -> None:
        """Roll up a span of steps and keep it for writing."""
        self.pending.append((block, start, stop))
        self.counted += stop - start
        self.pending_steps += stop - start
        # One after the other, so that everyone who adds up gets the same bits: `sum` may compensate.
        self.summed = reduce(add, rewards, self.summed)
        if self.t_start is None:
            self.t_start = float(block.t[start])
        if not self.flags & TOLD:
            self.steps, self.return_ = self.counted, self.summed
        self.seq = max(self.seq, int(block.seq[stop - 1]))
        self.dirty = True

    def ended_by_step(self, flags: int, t: float) -> None:
        """A step said terminated or truncated."""
        self.flags |= ENDED
        if self.outcome is None:
            self.outcome = "terminated" if flags & TERMINATED else "truncated"
        if not self.flags & TOLD:
            self.t_end = t

    def began(self, event: Reset, seq: int, env: int | None) -> None:
        """Its `reset` event came in."""
        self.t_start = floats.from_json(event.t)
        self.env, self.env_index, self.seed = env, event.env_index, event.seed
        self.agent, self.group = event.agent_id, event.group
        self.role = known_role(event.role)
        self.has_reset = True
        self.seq = max(self.seq, seq)
        self.dirty = True

    def ended(self, event: Episode, seq: int) -> None:
        """Its `episode` event came in: what that says holds."""
        self.flags |= ENDED | TOLD
        self.steps, self.return_ = event.steps, floats.from_json(event.return_)
        self.outcome = event.outcome or self.outcome
        self.t_end = floats.from_json(event.t if event.t_end is None else event.t_end)
        if event.t_start is not None:
            self.t_start = floats.from_json(event.t_start)
        if isinstance(event.env_index, int):
            self.env_index = event.env_index
        if event.agent_id is not None:
            self.agent = event.agent_id
        if event.seed is not None:
            self.seed = event.seed
        self.seq = max(self.seq, seq)
        self.dirty = True

    def to_row(self) -> tuple[Any, ...]:
        """The row, in the order of `COLUMNS`.

        `t_end` is kept as how far its bits are from those of `t_start`.
        """
        mark = self.mark
        is_own = outcome_of(mark) is None  # an outcome of the worker's own making, or none
        alike = self.counted == self.steps and _FLOAT.pack(self.summed) == _FLOAT.pack(self.return_)
        rest = None
        if not alike or is_own or self.seed is not None or self.agent is not None or self.group is not None:
            rest = msgspec.msgpack.encode(
                _Rest(
                    _word(self.seed),
                    self.agent,
                    self.group,
                    self.outcome if is_own else None,
                    None if alike else self.counted,
                    None if alike else self.summed,
                )
            )
        return (
            self.index,
            self.prefix,
            self.number,
            self.seq,
            self.flags | mark << MARK_SHIFT,
            self.steps,
            to_sql(self.return_),
            None if self.t_start is None else to_sql(self.t_start),
            None if self.t_end is None else _signed(_bits(self.t_end) - _bits(self.t_start or 0.0)),
            self.env,
            int_to_sql(self.env_index) or None,
            self.pack,
            rest,
        )

    @classmethod
    def from_row(cls, row: tuple[Any, ...], name: Callable[[int], str]) -> Live:
        """The episode behind a row; live chunks are for the caller to count."""
        return_ = to_float(row[6])
        t_start = None if row[7] is None else to_float(row[7])
        rest = _NO_REST if row[12] is None else msgspec.msgpack.decode(row[12], type=_Rest)
        return cls(
            episode_id=join_id(name(row[1]), row[2]),
            index=row[0],
            prefix=row[1],
            number=row[2],
            seq=row[3],
            flags=row[4] & (ENDED | TOLD),
            steps=row[5],
            return_=return_,
            t_start=t_start,
            t_end=None if row[8] is None else _float_of(row[8] + _bits(t_start or 0.0)),
            env=row[9],
            env_index=to_int(row[10]) or 0,
            pack=row[11],
            seed=int(rest.seed) if isinstance(rest.seed, str) else rest.seed,
            outcome=outcome_of(row[4] >> MARK_SHIFT) or rest.outcome,
            role=role_of(row[4] >> MARK_SHIFT),
            agent=rest.agent,
            group=rest.group,
            counted=row[5] if rest.counted is None else rest.counted,
            summed=return_ if rest.summed is None else rest.summed,
            dirty=False,
        )


class _Rest(msgspec.Struct, array_like=True, omit_defaults=True):
    """What few episodes have."""

    seed: int | str | None = None
    agent: str | None = None
    group: str | None = None
    outcome: str | None = None
    counted: int | None = None
    summed: float | None = None


ready(_Rest)
_NO_REST = _Rest()


def _word(number: int | None) -> int | str | None:
    """An integer of any size."""
    return number if number is None or -(1 << 63) <= number < 1 << 63 else str(number)


def _bits(value: float) -> int:
    return int(_INT.unpack(_FLOAT.pack(value))[0])


def _signed(bits: int) -> int:
    return (bits + (1 << 63)) % (1 << 64) - (1 << 63)


def _float_of(bits: int) -> float:
    return float(_FLOAT.unpack(_INT.pack(_signed(bits)))[0])


def row_of(live: Live, env_id: str | None) -> EpisodeRow:
    """What readers get of it."""
    return EpisodeRow(
        episode_id=live.episode_id,
        index=live.index,
        env_index=live.env_index,
        agent_id=live.agent,
        steps=live.steps,
        return_=live.return_,
        seed=live.seed,
        outcome=live.outcome,
        t_start=live.t_start,
        t_end=live.t_end,
        group=live.group,
        env_id=env_id,
        role=live.role,
        seq=live.seq,
    )
