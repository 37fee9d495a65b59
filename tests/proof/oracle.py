"""What a journal says, read by other code than the product's, and whether a store says exactly that.

Standard library only (zstandard for sealed segments). It knows the format from its description: lines of
JSON, NULs where nothing was written, numbers per producer. Nothing of ingest, codec or verify is used on this
side; the store is asked through its reader, as every client does.
"""

from __future__ import annotations

import base64
import json
import struct
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import zstandard

from mosaic.paths import RunFolder
from mosaic.store.ingest import RunIngest
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mosaic.protocol.rows import StoreSummary

__all__ = [
    "Told", "assert_stored", "bits", "end_run", "ingest_all", "is_event", "new_run", "read_journal",
    "segments", "stored_stream",
]  # fmt: skip

Place = tuple[str, int, bytes]


@dataclass
class Told:
    """What a journal says: events by producer in order, lines that are none, and numbers left out."""

    events: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    odd: list[Place] = field(default_factory=list)
    gaps: list[tuple[str, int, int]] = field(default_factory=list)
    """Producer, the number that was due, how many are missing; odd lines in between count as one each."""

    @property
    def count(self) -> int:
        return sum(map(len, self.events.values()))

    def seqs(self, producer: str) -> set[int]:
        return {event["seq"] for event in self.events.get(producer, []) if "seq" in event}


def new_run(path: Path) -> RunFolder:
    """An empty run folder."""
    (path / "journal").mkdir(mode=0o700, parents=True)
    return RunFolder(path)


def end_run(folder: RunFolder) -> None:
    """What the shim leaves: from now on nobody writes."""
    folder.exit.write_text('{"code":0,"t":1.0}')


def ingest_all(folder: RunFolder, **options: Any) -> StoreSummary:
    """Ingest what there is; put everything away if the run has ended."""
    with RunIngest(folder, **options) as ingest:
        for _ in range(10_000):
            turn = ingest.turn()
            if not turn.more and not turn.advanced:
                break
        else:
            raise AssertionError("ingest never comes to an end")
        ingest.settle()
        return ingest.summary()


def is_event(line: bytes) -> bool:
    """Whether a line is meant as an event. The proofs write none that are nearly one, unless they say so."""
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def segments(folder: RunFolder) -> dict[str, list[tuple[str, bytes]]]:
    """Uncompressed segments by producer, in order."""
    found: dict[str, bytes] = {}
    for path in folder.journal.iterdir():
        if path.name.startswith("."):
            continue
        if path.name.endswith(".jsonl.zst"):
            with path.open("rb") as file:
                unpacking = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
                found[path.name.removesuffix(".zst")] = unpacking.read()
        elif path.name.endswith(".jsonl"):
            found.setdefault(path.name, path.read_bytes())
    by_producer: dict[str, list[tuple[str, bytes]]] = {}
    for name in sorted(found, key=lambda name: (name.split("-")[0], int(name.split("-")[1].split(".")[0]))):
        by_producer.setdefault(name.split("-")[0], []).append((name, found[name]))
    return by_producer


def _fragments(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Offset, bytes, and whether a newline ended them, of all that is between newlines and NULs."""
    at = 0
    for line in data.split(b"\n"):
        whole = at + len(line) < len(data)
        pieces = line.split(b"\0")
        for number, piece in enumerate(pieces):
            if piece:
                yield at, piece, whole and number == len(pieces) - 1
            at += len(piece) + 1


def read_journal(folder: RunFolder) -> Told:
    """Everything the journal of a run whose writers are dead says."""
    told = Told()
    for producer, parts in segments(folder).items():
        events = told.events.setdefault(producer, [])
        due = odd = 0
        for name, data in parts:
            for offset, piece, whole in _fragments(data):
                if not (whole and is_event(piece)):
                    if piece.strip() or not whole:  # blanks are nothing, unless a hole cut them off
                        told.odd.append((name, offset, piece))
                        odd += 1
                    continue
                event = json.loads(piece)
                events.append(event)
                seq = event.get("seq", due)
                if seq > due + odd:
                    told.gaps.append((producer, due, seq - due - odd))
                due, odd = seq + 1, 0
    _read_output(folder, told)
    return told


def _read_output(folder: RunFolder, told: Told) -> None:
    """Events among what the worker printed; a line that tries to be one and is none is odd."""
    offset = 0
    for line in folder.stdout.read_bytes().split(b"\n") if folder.stdout.exists() else ():
        if line.startswith(b"{") and b'"type"' in line:
            if is_event(line):
                told.events.setdefault("stdout.log", []).append(json.loads(line))
            else:
                told.odd.append(("stdout.log", offset, line))
        offset += len(line) + 1


def bits(value: float | str) -> int:
    """The bits of a float in its JSON form."""
    if isinstance(value, str):
        if value.startswith("NaN:"):
            return int(value[4:], 16)
        value = float(value.replace("Infinity", "inf"))
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _as_stored(event: dict[str, Any]) -> tuple[Any, ...] | None:
    """A journal event as the store's stream should have it; None: it becomes part of an episode's row."""
    kind, t = event["type"], bits(event.get("t", 0.0))
    if kind == "step":
        flags = event.get("terminated", False), event.get("truncated", False)
        values = _text(event.get("action")), bits(event.get("reward", 0.0)), *flags, _text(event.get("obs"))
        return kind, event["episode_id"], event["step"], *values, t
    if kind == "metric":
        return kind, event["name"], bits(event["value"]), event.get("step"), t, event.get("source")
    if kind == "checkpoint":
        return kind, event["path"], event.get("sha256"), event.get("step"), t
    if kind in ("reset", "episode"):
        return None
    if kind in ("decision", "belief"):  # found by episode and step; their producer's number is not kept
        event = {name: value for name, value in event.items() if name != "seq"}
    return kind, _without_defaults(event)


def _without_defaults(event: dict[str, Any]) -> str:
    """Fields that say nothing may be left out."""
    return _text({name: value for name, value in event.items() if value not in (None, "", [], {})})


def stored_stream(reader: StoreReader) -> list[tuple[Any, ...]]:
    """All that a store holds in the order it was stored, in the form of `_as_stored`."""
    rows: list[tuple[int, tuple[Any, ...]]] = []
    cursor = 0
    while True:
        found, cursor_next = reader.steps_since(cursor, limit=5_000)
        for episode_id, row in found:
            flags = row.terminated, row.truncated
            values = _text(row.action), bits(row.reward), *flags, _text(row.obs), bits(row.t)
            rows.append((row.seq, ("step", episode_id, row.step, *values)))
        if not found:
            break
        cursor = cursor_next
    for m in reader.metrics():
        rows.append((m.seq, ("metric", m.name, bits(m.value), m.step, bits(m.t), m.source)))
    for c in reader.checkpoints():
        rows.append((c.seq, ("checkpoint", c.path, c.sha256, c.step, bits(c.t))))
    rows += [(seq, (kind, _without_defaults(json.loads(raw)))) for seq, kind, raw in reader.events()]
    rows.sort(key=lambda row: row[0])
    seqs = [seq for seq, _ in rows]
    assert len(set(seqs)) == len(seqs), "one number of the store is used twice"
    return [row for _, row in rows]


def assert_stored(folder: RunFolder, told: Told | None = None) -> StoreSummary:
    """The store says what the journal says: each event once, each producer's in order, odd lines in place."""
    told = read_journal(folder) if told is None else told
    with StoreReader(folder) as reader:
        summary = reader.summary()
        _assert_interleaved(told, stored_stream(reader))
        assert summary.store_seq == told.count, f"{summary.store_seq} stored, {told.count} written"
        _assert_episodes(told, reader)
        kept = [
            (row.source, row.offset, base64.b64decode(row.line_b64))
            for row in reader.quarantine(limit=1 << 30)
        ]
        assert Counter(kept) == Counter(told.odd), "quarantine differs from the odd lines of the journal"
        assert len(reader.holes()) == summary.holes
        assert not told.gaps or summary.holes, f"holes not counted: {told.gaps}"
    assert summary.quarantined == len(told.odd)
    lines = folder.quarantine.read_bytes().splitlines() if folder.quarantine.exists() else []
    rows = [json.loads(line) for line in lines]
    filed = [(row["source"], row["offset"], base64.b64decode(row["line_b64"])) for row in rows]
    assert Counter(filed) == Counter(told.odd), "quarantine.jsonl differs from the odd lines of the journal"
    return summary


def _assert_interleaved(told: Told, stream: list[tuple[Any, ...]]) -> None:
    waiting = {
        producer: deque(row for row in map(_as_stored, events) if row is not None)
        for producer, events in told.events.items()
    }
    for row in stream:
        for queue in waiting.values():
            if queue and queue[0] == row:
                queue.popleft()
                break
        else:
            due = [queue[0] for queue in waiting.values() if queue]
            raise AssertionError(f"stored twice, out of order or changed: {row}\nnext due: {due[:8]}")
    left = {producer: len(queue) for producer, queue in waiting.items() if queue}
    assert not left, f"acknowledged and not stored: {left}"


def _assert_episodes(told: Told, reader: StoreReader) -> None:
    resets: dict[str, dict[str, Any]] = {}
    ends: dict[str, dict[str, Any]] = {}
    steps: dict[str, list[int]] = {}
    for event in (event for events in told.events.values() for event in events):
        if event["type"] == "reset":
            resets.setdefault(event["episode_id"], event)
            steps.setdefault(event["episode_id"], [])
        elif event["type"] == "episode":
            ends[event["episode_id"]] = event
            steps.setdefault(event["episode_id"], [])
        elif event["type"] == "step":
            steps.setdefault(event["episode_id"], []).append(event["step"])
    rows = reader.episodes()
    assert len({row.index for row in rows}) == len(rows), "two episodes share an index"
    assert Counter(row.episode_id for row in rows) == Counter(dict.fromkeys(steps, 1)), "other episodes"
    for row in rows:
        assert [step.step for step in reader.steps(row.index)] == steps[row.episode_id], row
        began, ended = resets.get(row.episode_id), ends.get(row.episode_id)
        if began is not None:
            assert _text(reader.reset(row.index).get("obs")) == _text(began.get("obs")), row
        if ended is not None:
            found = row.steps, bits(row.return_), row.outcome
            assert found == (ended["steps"], bits(ended.get("return", 0.0)), ended.get("outcome")), row
