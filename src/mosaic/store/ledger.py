"""What a store holds besides episodes and steps: metrics, checkpoints, other events, environments, names.

Works inside the writer's transaction and keeps the counts in the writer's state.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from mosaic.protocol import floats
from mosaic.protocol.canonical import canonical_name
from mosaic.protocol.codec import Unknown
from mosaic.protocol.events import (
    PROTOCOL_VERSION,
    Bye,
    Checkpoint,
    Config,
    Event,
    Hello,
    Log,
    Metric,
    Reset,
)
from mosaic.store import bystep
from mosaic.store.kinds import BY_STEP, SHARED_TABLE
from mosaic.store.lines import json_of, to_bytes
from mosaic.store.schema import int_to_sql, to_sql

if TYPE_CHECKING:
    import apsw

    from mosaic.store.batch import Batch, Hole
    from mosaic.store.state import State

__all__ = ["Ledger"]

_TABLES = {kind.event: kind.table for kind in BY_STEP.values()}
_WARNING_CHARS = 500  # of a worker's warning in the roll-up; the event has all of it
_KEPT_LINE_BYTES = 64 << 10  # of an odd line; the whole of it is in quarantine.jsonl and in the journal
_KEPT_BYTES = 64 << 20  # of all of them; then only their places


class Ledger:
    """Writes rows of one store.

    Args:
        db: the write connection, inside a transaction whenever something is written.
        state: where things are counted.
        max_names: interned texts kept in memory.
    """

    def __init__(self, db: apsw.Connection, state: State, *, max_names: int) -> None:
        self.db, self.state = db, state
        self._max_names = max_names
        self._names: dict[str, int] = {}
        self._metric_names: dict[str, int] = {}
        self._envs: dict[tuple[str, str], int | None] = {}
        self._sources: dict[str, int] = {}
        self._tables: set[str] = set()

    def source(self, name: str) -> int:
        """The number of a source."""
        if name not in self._sources:
            self.db.execute("INSERT OR IGNORE INTO sources (name, cursor, done) VALUES (?, 0, 0)", (name,))
            self._sources[name] = int(self.db.execute("SELECT id FROM sources WHERE name = ?", (name,)).get)
        return self._sources[name]

    def name(self, text: str) -> int:
        """The number of a text that many rows share."""
        found = self._names.get(text)
        if found is None:
            found = self.db.execute("SELECT id FROM names WHERE text = ?", (text,)).get
            if found is None:
                self.db.execute("INSERT INTO names (text) VALUES (?)", (text,))
                found = self.db.last_insert_rowid()
            if len(self._names) >= self._max_names:
                self._names.clear()
            self._names[text] = int(found)
        return int(found)

    def text(self, name: int) -> str:
        """The text behind a number."""
        return str(self.db.execute("SELECT text FROM names WHERE id = ?", (name,)).get)

    def write(
        self, others: list[tuple[int, Event | Unknown]], *, base: int, extras: dict[int, bytes]
    ) -> None:
        """Store what is neither step, reset nor end of an episode; takes from `extras` what it keeps."""
        metrics: list[tuple[Any, ...]] = []
        events: list[tuple[int, str, bytes]] = []
        by_step: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for index, event in others:
            if isinstance(event, Metric):
                metrics.append(self._metric_row(event, base + index))
            elif isinstance(event, Checkpoint):
                self._keep_checkpoint(event, base + index)
            elif type(event) in _TABLES:
                extra = extras.pop(index, None)
                self.state.unknown += extra is not None
                by_step[_TABLES[type(event)]].append(bystep.to_row(event, base + index, extra, self.name))
            else:
                events.append(self._event_row(event, base + index, extras.pop(index, None)))
        if metrics:
            self.db.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", metrics)
            self.state.metrics += len(metrics)
        for table, made in by_step.items():
            if table not in self._tables:
                bystep.make_table(self.db, table)
                self._tables.add(table)
            self.db.executemany(bystep.INSERT.format(table=table), made)
        if events:
            self.db.executemany(f"INSERT INTO {SHARED_TABLE} VALUES (?, ?, ?)", events)  # noqa: S608

    def _metric_row(self, event: Metric, seq: int) -> tuple[Any, ...]:
        name = self._metric_names.get(event.name)
        if name is None:
            self.db.execute(
                "INSERT OR IGNORE INTO metric_names (name, canonical) VALUES (?, ?)",
                (event.name, canonical_name(event.name)),
            )
            name = int(self.db.execute("SELECT id FROM metric_names WHERE name = ?", (event.name,)).get)
            if len(self._metric_names) >= self._max_names:
                self._metric_names.clear()
            self._metric_names[event.name] = name
        source = None if event.source is None else self.name(event.source)
        value, t = floats.from_json(event.value), floats.from_json(event.t)
        return seq, name, to_sql(value), int_to_sql(event.step), to_sql(t), source

    def _keep_checkpoint(self, event: Checkpoint, seq: int) -> None:
        self.db.execute(
            "INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                seq,
                event.path,
                event.sha256,
                int_to_sql(event.bytes),
                int_to_sql(event.step),
                event.kind,
                to_sql(floats.from_json(event.t)),
                to_bytes(event.meta) if event.meta else None,
            ),
        )
        self.state.checkpoints += 1

    def _event_row(self, event: Event | Unknown, seq: int, extra: bytes | None) -> tuple[int, str, bytes]:
        if isinstance(event, Unknown):
            kind, data = event.type, event.raw
            self.state.unknown += 1
        else:
            kind, data = str(event.__struct_config__.tag), json_of(event, extra)
            self.state.unknown += extra is not None
        if isinstance(event, Bye):
            self.state.saw_bye(event.hook_errors)
        if isinstance(event, Config) and event.env_id:
            self.state.saw_env(event.env_id)
        if isinstance(event, Hello) and event.protocol != PROTOCOL_VERSION:
            self.state.warn(
                f"producer {event.producer} speaks protocol {event.protocol}, this version reads "
                f"{PROTOCOL_VERSION}: its lines were tried all the same"
            )
        if isinstance(event, Log) and event.level == "warning":
            self.state.warn(event.text[:_WARNING_CHARS])
        return seq, kind, data

    def env(self, event: Reset, producer: str) -> int | None:
        """The environment of an episode: described in its `reset`, or by an earlier one of the same key."""
        key = (producer, event.env_key)
        if event.env is not None:
            data = to_bytes(event.env)
            env_id = event.env.get("id")
            named = env_id if isinstance(env_id, str) else None
            self.db.execute("INSERT OR IGNORE INTO envs (env_id, data) VALUES (?, ?)", (named, data))
            env = int(self.db.execute("SELECT id FROM envs WHERE data = ?", (data,)).get)
            self.db.execute("INSERT OR REPLACE INTO env_keys VALUES (?, ?, ?)", (*key, env))
            self._envs[key] = env
            if named is not None:
                self.state.saw_env(named)
        elif key not in self._envs:
            if len(self._envs) >= self._max_names:
                self._envs.clear()
            self._envs[key] = self.db.execute(
                "SELECT env FROM env_keys WHERE producer = ? AND env_key = ?", key
            ).get
        return self._envs[key]

    def keep_extras(self, batch: Batch, base: int) -> None:
        """Unknown fields of metrics, checkpoints and episodes; steps carry their own in a column."""
        kinds = {
            index: str(e.__struct_config__.tag) for index, e in batch.others if not isinstance(e, Unknown)
        }
        self.state.unknown += len(batch.extras)
        self.db.executemany(
            "INSERT INTO extras VALUES (?, ?, ?)",
            [(base + index, kinds[index], data) for index, data in batch.extras.items() if index in kinds],
        )

    def keep_odd(self, batch: Batch, *, source: str) -> None:
        """Lines that are not events, and holes."""
        for odd in batch.odd:
            kept = odd.line[:_KEPT_LINE_BYTES] if self.state.quarantine_kept < _KEPT_BYTES else b""
            self.state.quarantine_kept += len(kept)
            self.db.execute(
                "INSERT INTO quarantine (source, offset, length, reason, data) VALUES (?, ?, ?, ?, ?)",
                (self.source(source), odd.offset, odd.length, odd.reason, kept),
            )
        self.state.quarantined += len(batch.odd)
        for hole in batch.holes:
            self.note_hole(hole, source=source)

    def note_hole(self, hole: Hole, *, source: str) -> None:
        """Count and locate what should be there and is not."""
        self.db.execute(
            "INSERT INTO holes (source, offset, bytes, missing) VALUES (?, ?, ?, ?)",
            (self.source(source), hole.offset, hole.bytes, int_to_sql(hole.missing)),
        )
        self.state.holes += 1
