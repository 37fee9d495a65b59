"""Where an episode's steps go: live chunks first, final chunks once it is long enough or over.

A live chunk holds what one commit brought of one episode. A long episode gets chunks of its own; short, ended
ones share a chunk (a pack) with their neighbours and their `reset` events, because a chunk each would cost
more than the steps. The newest pack stays open: commits write it anew in its place, marked live, until it is
full. What is live is written anew soon, so it is packed quickly rather than well. All of it happens inside
the writer's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import apsw
import numpy as np

from mosaic.errors import StoreError
from mosaic.store import chunks, curve
from mosaic.store.chunks import CHUNK_STEPS, Steps
from mosaic.store.episode_rows import ENDED
from mosaic.store.schema import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mosaic.store.episodes import Live, Span
    from mosaic.store.state import State

__all__ = ["CURVE", "Packer", "decode_own"]

_KEPT_BYTES, _MOST_KEPT = 4096, 1024
_TAIL = -1  # the block of the newest points
CURVE = "SELECT data FROM curve ORDER BY block < 0, block"
"""The return curve's blocks, oldest first."""


def decode_own(data: bytes) -> chunks.Chunk:
    """A chunk this store wrote.

    Raises:
        apsw.CorruptError: it is not what was written, though SQLite did not notice.
    """
    try:
        return chunks.decode(data)
    except StoreError as error:
        raise apsw.CorruptError(str(error)) from error


@dataclass
class _Pack:
    """The open pack: all that is in it, and its row once there is one. `joined` do not know that row yet."""

    row: int | None = None
    episodes: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    resets: list[bytes] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    joined: list[Live] = field(default_factory=list)
    steps: int = 0


class Packer:
    """Writes steps, resets and the return curve of one store.

    Args:
        db: the write connection, inside a transaction whenever a method is called.
        state: where the open pack is noted.
        live_rows: an episode's live chunks are merged into one when there are this many.
        chunk_bytes: a chunk is also closed at about this many bytes of values.
    """

    def __init__(
        self, db: apsw.Connection, state: State, *, live_rows: int = 16, chunk_bytes: int = 1 << 20
    ) -> None:
        self._db, self._state = db, state
        self._live_rows = live_rows
        self._chunk_bytes = chunk_bytes
        self._pack = self._read_pack()
        self._kept: dict[int, Steps] = {}
        tail = db.execute("SELECT data FROM curve WHERE block = ?", (_TAIL,)).get
        self._points = [] if tail is None else curve.points_of(curve.decode(tail))

    def write(self, touched: Sequence[Live], *, everything: bool = False) -> None:
        """Put away the pending steps of the episodes touched; with `everything`, close the open pack too."""
        for live in touched:
            self._put_away(live, over=everything or bool(live.flags & ENDED))
        if self._pack.joined or (everything and self._pack.episodes):
            self._write_pack(full=everything)
        for live in touched:
            if live.reset is not None:
                self._db.execute("INSERT OR REPLACE INTO resets VALUES (?, ?)", (live.index, live.reset))
                live.reset = None

    def add_points(self, points: Iterable[curve.Point]) -> None:
        """Append to the return curve."""
        self._points.extend(points)
        if len(self._points) < curve.TAIL:
            self._write_points(_TAIL, self._points)
            return
        last = self._db.execute("SELECT max(block) FROM curve").get
        block = 0 if last is None else max(0, last)
        kept = self._db.execute("SELECT data FROM curve WHERE block = ?", (block,)).get
        together = ([] if kept is None else curve.points_of(curve.decode(kept))) + self._points
        for start in range(0, len(together), curve.BLOCK):
            self._write_points(block + start // curve.BLOCK, together[start : start + curve.BLOCK])
        self._db.execute("DELETE FROM curve WHERE block = ?", (_TAIL,))
        self._points = []

    def _write_points(self, block: int, points: list[curve.Point]) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO curve VALUES (?, ?)", (block, curve.encode(points, quick=block == _TAIL))
        )

    def _put_away(self, live: Live, *, over: bool) -> None:
        waiting = live.waiting
        if not waiting:
            return
        # Short and over: into a pack with its neighbours. Long enough, or over after a chunk of its own: into
        # final chunks. Still running: a live chunk for now, since a crash must not cost what was committed.
        limit = self._limit(live)
        if over and waiting <= limit and not live.alone and live.pack is None:
            self._join(live, limit)
        elif waiting >= limit or (over and live.pack is None):
            self._write_final(live, limit, over=over)
        elif live.pending:
            self._write_live(live)

    def _limit(self, live: Live) -> int:
        """How many of its steps make a chunk."""
        if not live.pending:
            return CHUNK_STEPS
        return max(1, min(CHUNK_STEPS, self._chunk_bytes // max(1, live.pending[0][0].obs.size)))

    def _write_final(self, live: Live, limit: int, *, over: bool) -> None:
        steps = _steps_of(self._gather(live))
        at = 0
        while len(steps) - at >= limit or (over and at < len(steps)):
            self._insert(live.index, chunks.take(steps, slice(at, at + limit)), live=False)
            at += limit
        live.alone = True
        if at < len(steps):
            rest = chunks.take(steps, slice(at, None))
            self._insert(live.index, rest, live=True)
            live.live_rows, live.live_steps = 1, len(rest)

    def _write_live(self, live: Live) -> None:
        # Each commit adds one small row; merged now and then, a reader of a running episode opens few of them
        # and no step is written again more often than the merges ask for.
        merge = live.live_rows + 1 >= self._live_rows
        steps = _steps_of(self._gather(live) if merge else self._pending(live))
        self._insert(live.index, steps, live=True)
        if live.live_rows == 0:
            self._keep(live.index, steps)
        live.live_rows += 1
        live.live_steps += len(steps)

    def _keep(self, episode: int, steps: Steps) -> None:
        """Remember what is in an episode's one live chunk: most short episodes end with the next commit."""
        if len(steps) * steps.obs.size <= _KEPT_BYTES:
            if len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[episode] = chunks.take(steps, np.arange(len(steps)))  # a copy: the block may be large

    def _read_pack(self) -> _Pack:
        row = self._state.open_pack
        if row is None:
            return _Pack()
        chunk = decode_own(self._db.execute("SELECT data FROM chunks WHERE id = ?", (row,)).get or b"")
        return _Pack(
            row=row,
            episodes=list(chunk.episodes),
            counts=list(chunk.counts),
            resets=chunk.resets,
            spans=[(chunk.steps, 0, len(chunk.steps))],
            steps=len(chunk.steps),
        )

    def _join(self, live: Live, limit: int) -> None:
        """Add an ended episode to the open pack, or to the next one when that would grow over `limit`."""
        waiting = live.waiting
        if self._pack.episodes and self._pack.steps + waiting > limit:
            self._write_pack(full=True)
        pack = self._pack
        pack.episodes.append(live.index)
        pack.counts.append(waiting)
        pack.resets.append(self._reset_of(live))
        pack.joined.append(live)
        pack.steps += waiting
        for block, start, stop in self._gather(live):
            if pack.spans and pack.spans[-1][0] is block and pack.spans[-1][2] == start:
                pack.spans[-1] = (block, pack.spans[-1][1], stop)  # neighbours in one block: one slice
            else:
                pack.spans.append((block, start, stop))

    def _write_pack(self, *, full: bool) -> None:
        pack = self._pack
        steps = _steps_of(pack.spans)
        blob = chunks.encode(pack.episodes, pack.counts, steps, pack.resets, quick=not full)
        values = (int(not full), int(steps.seq.min()), int(steps.seq.max()), blob, pack.row)
        if pack.row is None:
            self._db.execute(
                "INSERT INTO chunks (live, seq_lo, seq_hi, data, id) VALUES (?, ?, ?, ?, ?)", values
            )
            pack.row = self._db.last_insert_rowid()
        else:
            # In the same row: the episodes written before already point to it and need not be touched.
            self._db.execute(
                "UPDATE chunks SET live = ?, seq_lo = ?, seq_hi = ?, data = ? WHERE id = ?", values
            )
        for live in pack.joined:
            live.pack, live.dirty = pack.row, True
        pack.joined.clear()
        pack.spans = [(steps, 0, len(steps))]  # lets go of the blocks they came from
        if full:
            self._pack = _Pack()
        self._state.open_pack = self._pack.row

    def _reset_of(self, live: Live) -> bytes:
        if live.reset is not None:
            reset, live.reset = live.reset, None
            return reset
        if not live.has_reset:
            return b""
        for (data,) in rows(self._db, "DELETE FROM resets WHERE episode = ? RETURNING data", live.index):
            return bytes(data)
        return b""

    def _pending(self, live: Live) -> list[Span]:
        spans, live.pending = live.pending, []
        live.pending_steps = 0
        return spans

    def _gather(self, live: Live) -> list[Span]:
        """All waiting steps of an episode; its live chunks are gone afterwards."""
        spans: list[Span] = []
        kept = self._kept.pop(live.index, None)
        if live.live_rows:
            parts = [kept] if kept is not None and live.live_rows == 1 else self._read_live(live)
            spans = [(part, 0, len(part)) for part in parts]
            self._db.execute("DELETE FROM chunks WHERE episode = ? AND live = 1", (live.index,))
            live.live_rows = live.live_steps = 0
        return spans + self._pending(live)

    def _read_live(self, live: Live) -> list[Steps]:
        query = "SELECT data FROM chunks WHERE episode = ? AND live = 1 ORDER BY id"
        return [decode_own(data).steps for (data,) in rows(self._db, query, live.index)]

    def _insert(self, episode: int, steps: Steps, *, live: bool) -> None:
        blob = chunks.encode([episode], [len(steps)], steps, [b""], quick=live)
        self._db.execute(
            "INSERT INTO chunks (episode, live, seq_lo, seq_hi, data) VALUES (?, ?, ?, ?, ?)",
            (episode, int(live), int(steps.seq.min()), int(steps.seq.max()), blob),
        )


def _steps_of(spans: Sequence[Span]) -> Steps:
    return chunks.concat([chunks.take(block, slice(start, stop)) for block, start, stop in spans])
