"""Where an episode's steps go: live chunks first, final chunks once it is long enough or over.

A live chunk holds what one commit brought of one episode. A long episode gets chunks of its own; short, ended
ones share a chunk (a pack) with their neighbours and their `reset` events, because a chunk each would cost
more than the steps. All of it happens inside the writer's transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from mosaic.errors import StoreError
from mosaic.store import chunks, curve
from mosaic.store.chunks import CHUNK_STEPS, Steps
from mosaic.store.episodes import ENDED, Live
from mosaic.store.schema import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["CURVE", "Packer", "decode_own"]

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


class Packer:
    """Writes steps, resets and the return curve of one store.

    Args:
        db: the write connection, inside a transaction whenever a method is called.
        live_rows: an episode's live chunks are merged into one when there are this many.
        chunk_bytes: a chunk is also closed at about this many bytes of values.
    """

    def __init__(self, db: apsw.Connection, *, live_rows: int = 16, chunk_bytes: int = 1 << 20) -> None:
        self._db = db
        self._live_rows = live_rows
        self._chunk_bytes = chunk_bytes
        self._closed: dict[int, Live] = {}
        tail = db.execute("SELECT data FROM curve WHERE block = ?", (_TAIL,)).get
        self._points = [] if tail is None else curve.points_of(curve.decode(tail))

    def wait(self, live: Live) -> None:
        """Take up an ended episode again whose steps wait in live chunks for a pack."""
        self._closed[live.index] = live

    def waits(self, index: int) -> bool:
        """Whether that episode waits for company."""
        return index in self._closed

    def write(self, touched: Sequence[Live], *, everything: bool = False) -> list[Live]:
        """Put away the pending steps of the episodes touched; with `everything`, also what waits for company.

        Returns the episodes packed, of which some may not have been touched this time.
        """
        for live in touched:
            self._put_away(live, over=everything or bool(live.flags & ENDED))
        packed = self._pack(everything=everything)
        for live in touched:
            if live.reset is not None:
                self._db.execute("INSERT OR REPLACE INTO resets VALUES (?, ?)", (live.index, live.reset))
                live.reset = None
        return packed

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
        self._db.execute("INSERT OR REPLACE INTO curve VALUES (?, ?)", (block, curve.encode(points)))

    def _put_away(self, live: Live, *, over: bool) -> None:
        waiting = live.waiting
        if not waiting:
            return
        limit = self._limit(live)
        if over and waiting <= limit and not live.alone and live.pack is None:
            self._closed[live.index] = live
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
        steps = chunks.concat(self._gather(live))
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
        if live.live_rows + 1 >= self._live_rows:
            steps = chunks.concat(self._gather(live))
        else:
            steps = chunks.concat(self._spans(live))
        self._insert(live.index, steps, live=True)
        live.live_rows += 1
        live.live_steps += len(steps)

    def _pack(self, *, everything: bool) -> list[Live]:
        packed: list[Live] = []
        group: list[Live] = []
        total = 0
        for live in list(self._closed.values()):
            waiting = live.waiting
            if group and (total + waiting > CHUNK_STEPS or total + waiting > self._limit(live)):
                self._write_pack(group)
                packed += group
                group, total = [], 0
            group.append(live)
            total += waiting
        if everything and group:
            self._write_pack(group)
            packed += group
            group = []
        for live in group:  # too few yet: they wait in live chunks
            if live.pending:
                self._write_live(live)
        return packed

    def _write_pack(self, group: list[Live]) -> None:
        counts = [live.waiting for live in group]
        parts: list[tuple[Steps, int, int]] = []
        for live in group:
            spans = (
                live.pending if not live.live_rows else [(part, 0, len(part)) for part in self._gather(live)]
            )
            for span in spans:
                if parts and parts[-1][0] is span[0] and parts[-1][2] == span[1]:
                    parts[-1] = (span[0], parts[-1][1], span[2])  # neighbours in one block: one slice
                else:
                    parts.append(span)
        steps = chunks.concat([chunks.take(block, slice(start, stop)) for block, start, stop in parts])
        resets = [self._reset_of(live) for live in group]
        blob = chunks.encode([live.index for live in group], counts, steps, resets)
        self._db.execute(
            "INSERT INTO chunks (episode, live, seq_lo, seq_hi, data) VALUES (NULL, 0, ?, ?, ?)",
            (int(steps.seq.min()), int(steps.seq.max()), blob),
        )
        pack = self._db.last_insert_rowid()
        for live in group:
            live.pack, live.dirty = pack, True
            live.pending.clear()
            live.live_rows = live.live_steps = live.pending_steps = 0
            del self._closed[live.index]

    def _reset_of(self, live: Live) -> bytes:
        if live.reset is not None:
            reset, live.reset = live.reset, None
            return reset
        if not live.has_reset:
            return b""
        for (data,) in rows(self._db, "DELETE FROM resets WHERE episode = ? RETURNING data", live.index):
            return bytes(data)
        return b""

    def _spans(self, live: Live) -> list[Steps]:
        spans = [chunks.take(block, slice(start, stop)) for block, start, stop in live.pending]
        live.pending.clear()
        live.pending_steps = 0
        return spans

    def _gather(self, live: Live) -> list[Steps]:
        """All waiting steps of an episode; its live chunks are gone afterwards."""
        parts: list[Steps] = []
        if live.live_rows:
            query = "SELECT data FROM chunks WHERE episode = ? AND live = 1 ORDER BY id"
            parts = [decode_own(data).steps for (data,) in rows(self._db, query, live.index)]
            self._db.execute("DELETE FROM chunks WHERE episode = ? AND live = 1", (live.index,))
            live.live_rows = live.live_steps = 0
        return parts + self._spans(live)

    def _insert(self, episode: int, steps: Steps, *, live: bool) -> None:
        blob = chunks.encode([episode], [len(steps)], steps, [b""])
        self._db.execute(
            "INSERT INTO chunks (episode, live, seq_lo, seq_hi, data) VALUES (?, ?, ?, ?, ?)",
            (episode, int(live), int(steps.seq.min()), int(steps.seq.max()), blob),
        )
