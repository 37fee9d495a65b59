"""Reading a store: rows, steps and curves, by cursor. Read-only; any number of readers beside the one writer.

Every call sees one commit and nothing half-done. A store that was replaced meanwhile (a rebuild) is opened
anew. Floats come back bit for bit.
"""

from __future__ import annotations

import base64
import time
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from mosaic.errors import StoreError
from mosaic.protocol.rows import (
    CheckpointRow,
    EpisodeRow,
    MetricRow,
    QuarantineRow,
    StoreSummary,
)
from mosaic.store import chunks, curve, eventlog, schema, seeded
from mosaic.store.configuration import read_config
from mosaic.store.curve import ReturnCurve
from mosaic.store.kinds import SHARED_TABLE
from mosaic.store.lookup import EpisodeLookup
from mosaic.store.packing import CURVE
from mosaic.store.recent import read_state
from mosaic.store.schema import rows
from mosaic.store.steprows import step_rows
from mosaic.store.values import parse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mosaic.paths import RunFolder
    from mosaic.protocol.events import Config
    from mosaic.protocol.rows import StepRow
    from mosaic.store.chunks import Steps
    from mosaic.store.eventlog import Stored

__all__ = ["ReturnCurve", "StoreReader"]

_ALL = 1 << 62
_PAGE = 4096
_OPEN_TRIES, _OPEN_PAUSE_SECS = 5, 0.01  # a rebuild swaps files: for a moment there is none


class StoreReader:
    """A read-only view of one run's store. A context manager.

    Args:
        folder: the run.
        cached_chunks: decoded chunks kept for the next call.

    Raises:
        StoreError: there is no store, or it is damaged.
    """

    def __init__(self, folder: RunFolder, *, cached_chunks: int = 16) -> None:
        self._folder = folder
        self._cached = cached_chunks
        self._cache: OrderedDict[int, chunks.Chunk] = OrderedDict()
        self._lookup = EpisodeLookup()
        self._db: apsw.Connection | None = None
        self._inode = 0
        with self._reading():
            pass

    def __enter__(self) -> StoreReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. Twice is fine."""
        if self._db is not None:
            self._db.close()
            self._db = None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All calls inside see one and the same commit."""
        with self._reading():
            yield

    # -- roll-ups -------------------------------------------------------------------------------------------

    def summary(self) -> StoreSummary:
        """The roll-up of the whole store."""
        with self._reading() as db:
            return read_state(db).summary()

    def returns(self) -> ReturnCurve:
        """Return, steps and end time of every ended episode, by index."""
        with self._reading() as db:
            return curve.join([curve.decode(data) for (data,) in db.execute(CURVE)])

    # -- episodes and steps ---------------------------------------------------------------------------------

    def episodes(
        self,
        *,
        since_seq: int = 0,
        first_index: int = 0,
        limit: int | None = None,
        role: str | None = None,
    ) -> list[EpisodeRow]:
        """Episodes by index, from `first_index` on; with `since_seq`, only those changed after it.

        Raises:
            UsageError: `role` is none of `train`, `eval` and `unknown`.
        """
        with self._reading() as db:
            return self._lookup.listed(
                db, since_seq=since_seq, first_index=first_index, limit=limit, role=role
            )

    def episode(self, key: int | str) -> EpisodeRow:
        """One episode, by index or id. A number that is not an index may be an id: such ids exist.

        Raises:
            UsageError: there is none; says which there are.
        """
        with self._reading() as db:
            return self._lookup.row(db, self._lookup.find(db, key))

    def steps(self, index: int, *, first: int = 0, limit: int | None = None) -> list[StepRow]:
        """The steps of an episode in the order they were stored, from the `first`-th on."""
        steps = self.columns(index)
        stop = None if limit is None else first + limit
        return (
            step_rows(chunks.take(steps, slice(first, stop)))
            if first or stop is not None
            else step_rows(steps)
        )

    def columns(self, index: int) -> Steps:
        """The steps of an episode as columns."""
        with self._reading() as db:
            row = self._lookup.find(db, index)
            parts = [] if row[11] is None else [self._chunk(db, row[11]).part(row[0])]
            own = rows(db, "SELECT id FROM chunks WHERE episode = ? ORDER BY id", row[0])
            parts += [self._chunk(db, chunk_id).steps for (chunk_id,) in own]
        steps = chunks.concat(parts) if parts else chunks.NO_STEPS
        if len(parts) > 1 and (np.diff(steps.seq) < 0).any():
            steps = chunks.take(steps, np.argsort(steps.seq, kind="stable"))
        return steps

    def steps_since(self, seq: int, *, limit: int) -> tuple[list[tuple[str, StepRow]], int]:
        """Steps stored after `seq`, in that order, each with its episode's id; and the next cursor."""
        found: list[tuple[str, StepRow]] = []
        with self._reading() as db:
            end = self.summary().store_seq
            while seq < end and len(found) < limit:
                nearest = db.execute(
                    "SELECT min(max(seq_lo, ?1 + 1)) FROM chunks WHERE seq_hi > ?1", (seq,)
                ).get
                if nearest is None:
                    seq = end
                    break
                low = int(nearest) - 1
                high = min(end, low + limit - len(found))
                found += self._steps_between(db, low, high)
                seq = high
        return found, max(seq, 0)

    def _steps_between(self, db: apsw.Connection, low: int, high: int) -> list[tuple[str, StepRow]]:
        """Steps with `low < seq <= high`."""
        found = []
        query = "SELECT id FROM chunks WHERE seq_hi > ? AND seq_lo <= ?"
        for (chunk_id,) in rows(db, query, low, high):
            chunk = self._chunk(db, chunk_id)
            wanted = np.flatnonzero((chunk.steps.seq > low) & (chunk.steps.seq <= high))
            owners = np.repeat(chunk.episodes, chunk.counts)[wanted].tolist()
            ids = {
                owner: self._lookup.row(db, self._lookup.find(db, owner)).episode_id for owner in set(owners)
            }
            steps = step_rows(chunks.take(chunk.steps, wanted))
            found += [(ids[owner], step) for owner, step in zip(owners, steps, strict=True)]
        return sorted(found, key=lambda pair: pair[1].seq)

    def reset(self, index: int) -> dict[str, Any]:
        """The `reset` event of an episode with its environment filled in; empty when there was none."""
        with self._reading() as db:
            row = self._lookup.find(db, index)
            data = db.execute("SELECT data FROM resets WHERE episode = ?", (row[0],)).get or b""
            if not data and row[11] is not None:
                chunk = self._chunk(db, row[11])
                data = chunk.resets[chunk.episodes.index(row[0])]
            if not data:
                return {}
            event: dict[str, Any] = {**parse(data), "episode_id": self._lookup.row(db, row).episode_id}
            if row[9] is not None:
                event["env"] = parse(db.execute("SELECT data FROM envs WHERE id = ?", (row[9],)).get)
            return event

    def last_seeded(self, env_key: str, *, first_index: int = 0, before_index: int) -> EpisodeRow | None:
        """The last episode of an environment, of those with an index in that range, whose reset had a seed.

        `env_key` is what the ids of its episodes begin with, up to the point before their number.
        """
        with self._reading() as db:
            row = seeded.last_seeded(db, env_key, first_index, before_index)
            return None if row is None else self._lookup.row(db, row)

    def steps_between(self, env_key: str, first_index: int, before_index: int) -> int:
        """How many steps the episodes of an environment in a range of indexes have, all agents counted."""
        with self._reading() as db:
            return seeded.steps_between(db, env_key, first_index, before_index)

    # -- other events ---------------------------------------------------------------------------------------

    def metrics(
        self, *, name: str | None = None, since_seq: int = 0, limit: int | None = None
    ) -> list[MetricRow]:
        """Logged scalars in the order they were stored; `name` is the source's or the canonical one."""
        chosen = (
            ""
            if name is None
            else "AND m.name IN (SELECT id FROM metric_names WHERE name = ?3 OR canonical = ?3)"
        )
        query = (
            "SELECT m.seq, n.name, n.canonical, value, step, t, s.text FROM metrics m JOIN metric_names n "  # noqa: S608
            f"ON n.id = m.name LEFT JOIN names s ON s.id = m.source WHERE m.seq > ?1 {chosen} "
            "ORDER BY m.seq LIMIT ?2"
        )
        bound: list[Any] = [since_seq, _ALL if limit is None else limit]
        with self._reading() as db:
            return [
                MetricRow(
                    name=row[1],
                    canonical=row[2],
                    value=schema.to_float(row[3]),
                    step=schema.to_int(row[4]),
                    t=schema.to_float(row[5]),
                    source=row[6],
                    seq=row[0],
                )
                for row in db.execute(query, bound if name is None else [*bound, name])
            ]

    def metric_names(self) -> list[tuple[str, str | None, int]]:
        """Each metric's name, its canonical name, and how many values there are."""
        with self._reading() as db:
            return list(
                db.execute(
                    "SELECT n.name, n.canonical, count(m.seq) FROM metric_names n "
                    "LEFT JOIN metrics m ON m.name = n.id "
                    "GROUP BY n.id ORDER BY n.name"
                )
            )

    def checkpoints(self) -> list[CheckpointRow]:
        """Saved policies in the order they were stored."""
        with self._reading() as db:
            return [
                CheckpointRow(
                    path=row[1],
                    sha256=row[2],
                    bytes=schema.to_int(row[3]),
                    step=schema.to_int(row[4]),
                    kind=row[5],
                    t=schema.to_float(row[6]),
                    meta={} if row[7] is None else parse(row[7]),
                    seq=row[0],
                )
                for row in db.execute("SELECT * FROM checkpoints ORDER BY seq")
            ]

    def events(
        self,
        kind: str | Collection[str] | None = None,
        *,
        episode: int | str | None = None,
        step: int | None = None,
        since_seq: int = 0,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Stored]:
        """Events of the kinds without rows of their own, unknown ones included, as (seq, kind, JSON).

        Args:
            kind: one or several kinds; all of them without it.
            episode: only those about this episode, by its index or id.
            step: only those about this step.
            since_seq: only those stored after this one.
            limit: at most so many: the first ones, or with `newest` the last ones.
            newest: see `limit`. The order is that of storing in any case.

        Raises:
            UsageError: a kind that cannot be asked for in this way, or an episode of which nothing is known,
                neither a row nor an event.
        """
        with self._reading() as db:
            which = self._which(db, kind, episode, step)
            which = which._replace(since_seq=since_seq, limit=limit, newest=newest)
            return eventlog.select(db, which, lambda name: self._lookup.text(db, name))

    def each_event(
        self,
        kind: str | Collection[str] | None = None,
        *,
        episode: int | str | None = None,
        step: int | None = None,
    ) -> Iterator[Stored]:
        """The events that are there now, one by one; a bounded number of them is in memory."""
        since, last = 0, self.summary().store_seq
        while since < last and (
            page := self.events(kind, episode=episode, step=step, since_seq=since, limit=_PAGE)
        ):
            yield from (event for event in page if event.seq <= last)
            since = page[-1].seq

    def count_events(
        self,
        kind: str | Collection[str] | None = None,
        *,
        episode: int | str | None = None,
        step: int | None = None,
    ) -> int:
        """How many events there are, without reading them."""
        with self._reading() as db:
            return eventlog.count(db, self._which(db, kind, episode, step))

    def kinds(self) -> list[str]:
        """Which kinds of the shared table there are, unknown ones included, besides those with a table."""
        with self._reading() as db:
            every = f"SELECT DISTINCT kind FROM {SHARED_TABLE} ORDER BY kind"  # noqa: S608
            return [name for (name,) in db.execute(every)]

    def config(self) -> Config:
        """What the run was told, all its `config` events in one."""
        with self._reading() as db:
            return read_config(db)

    def quarantine(self, *, limit: int = 100) -> list[QuarantineRow]:
        """Lines that were not events. Over 64 KiB only the start; quarantine.jsonl has it all."""
        with self._reading() as db:
            return [
                QuarantineRow(
                    source=source,
                    offset=offset,
                    length=length,
                    reason=reason,
                    line_b64=base64.b64encode(data).decode(),
                )
                for source, offset, length, reason, data in db.execute(
                    "SELECT s.name, offset, length, reason, q.data FROM quarantine q "
                    "JOIN sources s ON s.id = source "
                    "ORDER BY q.id LIMIT ?",
                    (limit,),
                )
            ]

    def quarantined_lines(self) -> set[tuple[str, int]]:
        """Source and offset of every line that was not an event."""
        with self._reading() as db:
            query = "SELECT s.name, offset FROM quarantine JOIN sources s ON s.id = source"
            return {(str(name), int(offset)) for name, offset in db.execute(query)}

    def holes(self) -> list[tuple[str, int, int, int | None]]:
        """What is missing: (source, offset, bytes, events), events None when nobody can tell."""
        with self._reading() as db:
            query = "SELECT s.name, offset, bytes, missing FROM holes JOIN sources s ON s.id = source"
            return [(row[0], row[1], row[2], schema.to_int(row[3])) for row in db.execute(query)]

    def cursors(self) -> dict[str, tuple[int, bool]]:
        """How far each source has been read, in uncompressed bytes, and whether it is done."""
        with self._reading() as db:
            return {
                name: (cursor, bool(done))
                for name, cursor, done in db.execute("SELECT name, cursor, done FROM sources")
            }

    # -- inside ---------------------------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        """One snapshot of the store that has the name now."""
        try:
            db = self._connection()
            if db.in_transaction:  # a method that calls another: the same snapshot
                yield db
                return
            db.execute("BEGIN")
            try:
                yield db
            finally:
                if db.in_transaction:  # an error of the disk ends it by itself
                    db.execute("ROLLBACK")
        except apsw.Error as error:
            way_out = "Rebuild it: mosaic rebuild RUN" if schema.is_damage(error) else "Try again."
            raise StoreError(f"cannot read {self._folder.store}: {error}. {way_out}") from error

    def _connection(self) -> apsw.Connection:
        if self._db is not None and self._db.in_transaction:
            return self._db
        for attempt in range(_OPEN_TRIES):
            try:
                inode = self._folder.store.lstat().st_ino
            except FileNotFoundError:
                if attempt < _OPEN_TRIES - 1 and self._folder.journal.is_dir():
                    time.sleep(_OPEN_PAUSE_SECS)
                    continue
                inode = 0
            break
        if self._db is None or inode != self._inode:
            self.close()
            self._cache.clear()
            self._lookup.clear()
            self._db = schema.open_reader(self._folder.store)
            self._inode = inode
        return self._db

    def _which(
        self,
        db: apsw.Connection,
        kind: str | Collection[str] | None,
        episode: int | str | None,
        step: int | None,
    ) -> eventlog.Which:
        return eventlog.Which(
            kinds=[kind] if isinstance(kind, str) else kind,
            episode=None if episode is None else self._lookup.name_of(db, episode),
            step=step,
        )

    def _chunk(self, db: apsw.Connection, chunk_id: int) -> chunks.Chunk:
        """A chunk; final ones never change, live ones do and are not kept."""
        cached = self._cache.get(chunk_id)
        if cached is not None:
            self._cache.move_to_end(chunk_id)
            return cached
        live, data = db.execute("SELECT live, data FROM chunks WHERE id = ?", (chunk_id,)).get
        chunk = chunks.decode(data)
        if not live:
            self._cache[chunk_id] = chunk
            while len(self._cache) > self._cached:
                self._cache.popitem(last=False)
        return chunk
