"""The one writer of a store: batches of events become rows, in transactions that also move the cursors.

Whoever gets an error from here throws the writer away and opens a new one: what was not committed never
happened.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import apsw
import msgspec
import numpy as np
import numpy.typing as npt

from mosaic.protocol import floats
from mosaic.protocol.codec import Unknown
from mosaic.protocol.events import Episode, Event, Reset
from mosaic.store import bystep, chunks
from mosaic.store.episode_rows import BLOCK, BY_ID, COLUMNS, ENDED, split_id
from mosaic.store.episodes import Live
from mosaic.store.ledger import Ledger
from mosaic.store.lines import json_of
from mosaic.store.order import OrderFile
from mosaic.store.packing import Packer, decode_own
from mosaic.store.recent import read_recent, read_state
from mosaic.store.schema import rows

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.store.batch import Batch
    from mosaic.store.chunks import Steps

__all__ = ["StoreWriter"]


class StoreWriter:
    """Applies batches to a store.

    Args:
        db: the write connection; this object owns it from now on.
        order: the path of episodes.order.
        if_new: a warning to begin with when the store is new.
        max_open: episodes kept in memory between commits; the others are read back when they go on.
        max_names: interned texts kept in memory.
    """

    def __init__(
        self,
        db: apsw.Connection,
        order: Path,
        *,
        if_new: str = "",
        max_open: int = 4096,
        max_names: int = 4096,
    ) -> None:
        self.db = db
        try:
            bystep.move_shared(db)
            is_new = db.execute("SELECT 1 FROM state").get is None
            self.state = read_state(db)
            if is_new:
                if if_new:
                    self.state.warn(if_new)
                # SYNC: before episodes.order is made: a store without a state beside that file is known to
                # replace an earlier one, whenever whoever made it was killed.
                self._save_state()
            known = {"known_lines": self.state.order_lines, "known_bytes": self.state.order_bytes}
            self.order = OrderFile(order, **known)
        except msgspec.MsgspecError as error:
            db.close()
            raise apsw.CorruptError(f"its roll-up cannot be read: {error}") from error
        except BaseException:
            db.close()
            raise
        try:
            self._max_open, self._max_names = max_open, max_names
            self._open: dict[str, Live] = {}
            self.ledger = Ledger(db, self.state, max_names=max_names)
            self._highest: dict[int, int] = {}
            self._touched: dict[int, Live] = {}
            self._packer = Packer(db, self.state)
            self._match_order()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the files. Twice is fine."""
        self.order.close()
        self.db.close()

    # -- transactions ---------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Open the transaction that the next `commit` ends."""
        self.db.execute("BEGIN IMMEDIATE")

    def commit(self, *, everything: bool = False) -> None:
        """Write what is pending and make it all visible at once."""
        if everything:
            self._load_open()
        touched = list(self._touched.values())
        self._packer.write(touched, everything=everything)
        self._save_episodes([live for live in touched if live.dirty])
        # SYNC: names of new episodes are on file before the commit that lets readers see their index.
        self.order.flush()
        self.state.order_lines, self.state.order_bytes = self.order.known
        self.state.sample_speed()
        self._save_state()
        self.db.execute("COMMIT")
        self._touched.clear()
        for live in touched:
            if live.pack is not None or (live.flags & ENDED and not live.waiting):
                self._open.pop(live.episode_id, None)
        if len(self._open) > self._max_open:
            for name in list(self._open)[: len(self._open) - self._max_open]:
                del self._open[name]

    def _save_state(self) -> None:
        self.db.execute("INSERT OR REPLACE INTO state VALUES (1, ?)", (msgspec.msgpack.encode(self.state),))

    def _save_episodes(self, changed: list[Live]) -> None:
        points = []
        for live in changed:
            live.dirty = False
            if live.flags & ENDED:
                self.state.saw_end(live)
                point = live.point
                if point != live.curve:
                    live.curve = point
                    points.append((live.index, *point))
        if changed:
            made = [live.to_row() for live in changed]
            marks = ", ".join("?" * len(made[0]))
            self.db.executemany(f"INSERT OR REPLACE INTO episodes ({COLUMNS}) VALUES ({marks})", made)  # noqa: S608
            self._save_blocks(changed)
        if points:
            self._packer.add_points(points)
        if self.state.recent_returns is None:
            self.state.recent_returns = read_recent(self.db, self.state)

    def _save_blocks(self, changed: list[Live]) -> None:
        blocks: dict[int, int] = {}
        spans: dict[tuple[int, int], tuple[int, int]] = {}
        for live in changed:
            block = live.index // BLOCK
            blocks[block] = max(live.seq, blocks.get(block, 0))
            low, high = spans.get((live.prefix, block), (live.number, live.number))
            spans[live.prefix, block] = min(low, live.number), max(high, live.number)
        self.db.executemany(
            "INSERT INTO blocks VALUES (?, ?) ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq)",
            blocks.items(),
        )
        self.db.executemany(
            "INSERT INTO spans VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "low = min(low, excluded.low), high = max(high, excluded.high)",
            [(*key, *span) for key, span in spans.items()],
        )

    # -- sources --------------------------------------------------------------------------------------------

    def cursor(self, source: str) -> tuple[int, bool]:
        """How far a source has been read, and whether it is done."""
        row = self.db.execute("SELECT cursor, done FROM sources WHERE name = ?", (source,)).get
        return (0, False) if row is None else (row[0], bool(row[1]))

    def move(self, source: str, cursor: int, *, done: bool) -> None:
        """Set a source's cursor."""
        self.db.execute(
            "UPDATE sources SET cursor = ?, done = ? WHERE id = ?", (cursor, done, self.ledger.source(source))
        )

    def next_seq(self, producer: str) -> int:
        """The number a producer's next event should have."""
        return int(self.db.execute("SELECT next_seq FROM producers WHERE name = ?", (producer,)).get or 0)

    # -- events ---------------------------------------------------------------------------------------------

    def apply(self, batch: Batch, *, source: str, producer: str) -> None:
        """Store one batch."""
        base = self.state.store_seq + 1
        self.state.store_seq += batch.count
        codes = {name: number for number, name in enumerate(dict.fromkeys(batch.step_ids))}
        numbers = np.fromiter(map(codes.__getitem__, batch.step_ids), np.int64, len(batch.step_ids))
        # Numbered in order of appearance: a name appears first where the highest number so far grows.
        firsts = np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1))
        self._mention(batch, codes, [] if batch.steps is None else batch.steps.seq[firsts].tolist())
        self._apply_others(batch, base, producer)
        if batch.steps is not None:
            self._apply_steps(batch.steps, codes, numbers, base)
        if batch.extras:
            self.ledger.keep_extras(batch, base)
        self.ledger.keep_odd(batch, source=source)
        if batch.next_seq:
            self.db.execute("INSERT OR REPLACE INTO producers VALUES (?, ?)", (producer, batch.next_seq))

    def _mention(self, batch: Batch, codes: dict[str, int], firsts: list[int]) -> None:
        """Look up or number all episodes of a batch, in the order it first names them."""
        first_seen = dict(zip(codes, firsts, strict=True))
        for index, event in batch.others:
            if isinstance(event, (Reset, Episode)):
                first_seen[event.episode_id] = min(index, first_seen.get(event.episode_id, index))
        for episode_id in sorted(first_seen, key=first_seen.__getitem__):
            live = self._open.get(episode_id)
            if live is None:
                live = self._open[episode_id] = self._load(episode_id)
            self._touched[live.index] = live

    def _apply_steps(
        self, steps: Steps, codes: dict[str, int], numbers: npt.NDArray[np.int64], base: int
    ) -> None:
        if len(codes) > 1 and (numbers[1:] < numbers[:-1]).any():
            order = np.argsort(numbers, kind="stable")
            steps, numbers = chunks.take(steps, order), numbers[order]
        steps.seq[:] += base
        rewards = steps.reward.tolist()
        bounds = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        endings = np.flatnonzero(steps.flags)
        for name, (start, stop) in zip(codes, pairwise(bounds), strict=True):
            self._open[name].add_steps(steps, start, stop, rewards[start:stop])
        names = list(codes)
        for at, number in zip(endings.tolist(), numbers[endings].tolist(), strict=True):
            self._open[names[number]].ended_by_step(int(steps.flags[at]), float(steps.t[at]))
        self.state.steps += len(steps)
        with np.errstate(invalid="ignore"):
            self.state.saw_times(float(steps.t.min()), float(steps.t.max()))

    def _apply_others(self, batch: Batch, base: int, producer: str) -> None:
        rest: list[tuple[int, Event | Unknown]] = []
        times: list[float] = []
        for index, event in batch.others:
            if isinstance(event, Reset):
                self._apply_reset(event, base + index, producer, batch.extras.pop(index, None))
            elif isinstance(event, Episode):
                self._open[event.episode_id].ended(event, base + index)
            else:
                rest.append((index, event))
            if not isinstance(event, Unknown):
                times.append(floats.from_json(event.t))
        known = [t for t in times if 0.0 < t < math.inf]
        if known:
            self.state.saw_times(min(known), max(known))
        if rest:
            self.ledger.write(rest, base=base, extras=batch.extras)

    def _apply_reset(self, event: Reset, seq: int, producer: str, extra: bytes | None) -> None:
        live = self._open[event.episode_id]
        env = self.ledger.env(event, producer)
        event.env, event.episode_id = None, ""  # both are kept elsewhere, once
        data = json_of(event, extra)
        if extra is not None:
            self.state.unknown += 1
        if live.has_reset or self._packed_with_reset(live):
            self.db.execute("INSERT INTO extras VALUES (?, 'reset', ?)", (seq, data))
        else:
            live.reset = data
            live.began(event, seq, env)
            self.state.saw_role(live.role)

    def _packed_with_reset(self, live: Live) -> bool:
        """Whether an episode was put into its pack together with its reset. Few events ask: it unpacks."""
        if live.pack is None:
            return False
        chunk = decode_own(self.db.execute("SELECT data FROM chunks WHERE id = ?", (live.pack,)).get or b"")
        return bool(chunk.resets[chunk.episodes.index(live.index)])

    # -- looking up -----------------------------------------------------------------------------------------

    def _load(self, episode_id: str) -> Live:
        """An episode that is not in memory: read back, or new."""
        prefix_text, number = split_id(episode_id)
        prefix = self.ledger.name(prefix_text)
        if prefix not in self._highest:
            highest = self.db.execute("SELECT max(high) FROM spans WHERE prefix = ?", (prefix,)).get
            if len(self._highest) >= self._max_names:
                self._highest.clear()
            self._highest[prefix] = -2 if highest is None else highest
        if number <= self._highest[prefix]:
            row = self.db.execute(BY_ID, (prefix, number)).get
            if row is not None:
                return self._revive(row)
        self._highest[prefix] = max(number, self._highest[prefix])
        self.state.episodes += 1
        return Live(episode_id, self.order.index_of(episode_id), prefix, number)

    def _revive(self, row: tuple[Any, ...]) -> Live:
        live = Live.from_row(row, self.ledger.text)
        for (data,) in self.db.execute(
            "SELECT data FROM chunks WHERE episode = ? AND live = 1", (live.index,)
        ):
            live.live_rows += 1
            live.live_steps += len(decode_own(data).steps)
        one = "SELECT 1 FROM chunks WHERE episode = ? AND live = 0 LIMIT 1"
        live.alone = self.db.execute(one, (live.index,)).get is not None
        one = "SELECT 1 FROM resets WHERE episode = ?"
        live.has_reset = self.db.execute(one, (live.index,)).get is not None
        if live.flags & ENDED:
            live.curve = live.point
        return live

    def _load_open(self) -> None:
        """Every episode with live chunks, to put them away for good."""
        query = (
            f"SELECT {COLUMNS} FROM episodes WHERE idx IN "  # noqa: S608
            "(SELECT DISTINCT episode FROM chunks WHERE episode IS NOT NULL AND live = 1) ORDER BY idx"
        )
        for row in rows(self.db, query):
            if row[0] not in self._touched:  # nothing of it is pending, so its row says all there is
                live = self._revive(row)
                self._touched[live.index] = self._open[live.episode_id] = live

    def _match_order(self) -> None:
        """See which promises of episodes.order are kept; write it anew if it was lost or cut."""
        last = self.db.execute("SELECT max(idx) FROM episodes").get
        stored = 0 if last is None else last + 1
        if not self.order.short and stored <= self.order.lines:
            beyond = self.db.execute("SELECT idx FROM episodes WHERE idx >= ?", (self.state.order_lines,))
            self.order.kept({index for (index,) in beyond})
            return
        ids: list[str | None] = [None] * max(self.state.order_lines, stored)
        query = "SELECT idx, text, number FROM episodes JOIN names ON names.id = prefix"
        for index, prefix, number in self.db.execute(query):
            ids[index] = prefix if number < 0 else f"{prefix}{number}"
        self.order.rewrite(ids)
