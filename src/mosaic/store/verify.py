"""Whether a store says what its journal says: every step compared, the first difference located.

Changes nothing.
"""

from __future__ import annotations

import itertools
import json
import os
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.errors import ProtocolError
from mosaic.protocol import codec, floats
from mosaic.protocol.rows import EpisodeRow
from mosaic.runs.folder import ended
from mosaic.store.kinds import LISTED
from mosaic.store.order import LONGEST_BYTES
from mosaic.store.reader import StoreReader
from mosaic.store.recount import (
    EpisodeCount,
    Recount,
    Tally,
    bits,
    digest,
    event_key,
    has_unknown_fields,
    known_fields,
    lines_of,
    parse_fields,
    producer_of,
    step_key,
    told_returns,
    understand,
)
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import StepRow

__all__ = ["Difference", "verify"]

_LOCATED = 10  # episodes whose first differing step is looked for; the others are only named
_PAGE = 4096
_FACTS = {
    field.encode_name: (field.name, None if field.required else field.default)
    for field in msgspec.structs.fields(EpisodeRow)
    if field.name not in ("episode_id", "index", "seq")
}
"""What an episode's row says beside its steps: the attribute, and its value when the journal gives none."""
_FLOAT_FACTS = ("return", "t_start", "t_end")
_TOLD = ("steps", "return")  # an `episode` event has the last word on them, in whatever order lines came


class Difference(msgspec.Struct, frozen=True):
    """One thing journal and store do not agree on."""

    what: str
    journal: str
    store: str

    def __str__(self) -> str:
        return f"{self.what}: the journal says {self.journal}, the store says {self.store}"


def verify(folder: RunFolder) -> list[Difference]:
    """Read the journal anew, independently, and compare everything. Empty: they agree.

    Raises:
        StoreError: the store is missing or damaged.
    """
    with StoreReader(folder) as reader, reader.snapshot():
        cursors = reader.cursors()
        recount = _recount(folder, cursors, reader.quarantined_lines())
        found = _compare_counts(reader, recount)
        found += _compare_metrics(reader, recount)
        found += _compare_checkpoints(reader, recount)
        found += _compare_events(reader, recount)
        found += _compare_returns(reader)
        found += _compare_episodes(folder, reader, recount, cursors)
    found += [Difference(f"line of {line}", "an event", "quarantined") for line in recount.wronged]
    if ended(folder):
        found += [
            Difference(f"lines of {name} behind the store's cursor", str(lines), "0")
            for name, lines in sorted(recount.beyond.items())
        ]
    return found


def _recount(
    folder: RunFolder, cursors: dict[str, tuple[int, bool]], quarantined: set[tuple[str, int]]
) -> Recount:
    recount = Recount()
    for source, offset, line in lines_of(folder, cursors, recount.beyond):
        understood = ("odd", {}) if line is None else understand(line, is_text=source == "stdout.log")
        if understood is None:
            continue
        kind, fields = understood
        if (source, offset) in quarantined and kind != "odd":
            # The protocol may be stricter than this reading; what it accepts must not be put aside.
            if line is not None and _is_event(line):
                recount.wronged.append(f"{source} at byte {offset}")
            kind = "odd"
        recount.kinds[kind] = recount.kinds.get(kind, 0) + 1
        if kind == "odd":
            recount.odd += 1
        elif kind == "unknown":
            recount.unknown += 1
            recount.events.setdefault(fields["type"], Tally()).add(event_key(fields))
        else:
            recount.unknown += has_unknown_fields(kind, fields)
            _count(recount, kind, fields, source)
    _take_indexes(folder, recount)
    return recount


def _take_indexes(folder: RunFolder, recount: Recount) -> None:
    """The index that each episode was promised: its first line in episodes.order."""
    try:
        fd = open_regular(folder.order)
    except FileNotFoundError:
        return
    with os.fdopen(fd, "rb") as lines:
        for number in itertools.count():
            line = lines.readline(LONGEST_BYTES)
            if not line.endswith(b"\n"):
                break  # the end, or what ingest never wrote
            try:
                episode = recount.episodes.get(json.loads(line) or "")
            except (ValueError, TypeError):
                continue  # a damaged line: its number stays taken
            if episode is not None and episode.index is None:
                episode.index = number


def _is_event(line: bytes) -> bool:
    try:
        codec.decode_line(line.strip())
    except ProtocolError:
        return False
    return True


def _count(recount: Recount, kind: str, fields: dict[str, Any], source: str) -> None:
    if kind == "metric":
        tally = recount.metrics.setdefault(fields["name"], Tally())
        tally.add(
            _metric_key(fields["value"], fields.get("step"), fields.get("t", 0.0), fields.get("source"))
        )
    if kind in LISTED:
        recount.events.setdefault(kind, Tally()).add(event_key(fields))
    if kind == "checkpoint":
        recount.checkpoints.add(event_key(known_fields(kind, fields)))
    if kind not in ("step", "episode", "reset"):
        return
    episode = recount.episodes.get(fields["episode_id"])
    if episode is None:
        episode = recount.episodes[fields["episode_id"]] = EpisodeCount()
    producer = producer_of(source)
    episode.told_by(producer)
    if kind == "step":
        episode.saw_step(fields)
    elif kind == "episode":
        episode.saw_end(fields)
    else:
        key = producer, fields.get("env_key", "")
        if fields.get("env") is not None:
            recount.envs[key] = fields["env"]
        episode.saw_reset(fields, recount.envs.get(key))


def _compare_counts(reader: StoreReader, recount: Recount) -> list[Difference]:
    summary = reader.summary()
    pairs = [
        ("episodes", len(recount.episodes), summary.episodes),
        ("steps", recount.kinds.get("step", 0), summary.steps),
        ("metrics", recount.kinds.get("metric", 0), summary.metrics),
        ("checkpoints", recount.kinds.get("checkpoint", 0), summary.checkpoints),
        ("quarantined lines", recount.odd, summary.quarantined),
        ("events with something unknown", recount.unknown, summary.unknown),
        ("all events", sum(n for kind, n in recount.kinds.items() if kind != "odd"), summary.store_seq),
    ]
    if not any(episode.mixed for episode in recount.episodes.values()):  # whose reset was first, nobody knows
        roles = [episode.facts.get("role") for episode in recount.episodes.values()]
        pairs.append(("training episodes", roles.count("train"), summary.train_episodes))
        pairs.append(("evaluation episodes", roles.count("eval"), summary.eval_episodes))
    return [Difference(what, str(there), str(here)) for what, there, here in pairs if there != here]


def _compare_returns(reader: StoreReader) -> list[Difference]:
    """What listings say of returns, against the rows: those are compared with the journal one by one."""
    summary = reader.summary()
    last, mean = told_returns(_episodes(reader))
    pairs = [("last return", last, summary.last_return), ("mean return", mean, summary.mean_return_100)]
    return [
        Difference(what, repr(there), repr(here))
        for what, there, here in pairs
        if (None if there is None else bits(there)) != (None if here is None else bits(here))
    ]


def _compare_metrics(reader: StoreReader, recount: Recount) -> list[Difference]:
    stored: dict[str, Tally] = {}
    for row in reader.metrics():
        stored.setdefault(row.name, Tally()).add(_metric_key(row.value, row.step, row.t, row.source))
    return [
        Difference(f"metric {name!r}", _shown(recount.metrics.get(name)), _shown(stored.get(name)))
        for name in sorted(recount.metrics.keys() | stored.keys())
        if recount.metrics.get(name) != stored.get(name)
    ]


def _compare_checkpoints(reader: StoreReader, recount: Recount) -> list[Difference]:
    stored = Tally()
    for row in reader.checkpoints():
        fields = {**msgspec.structs.asdict(row), "type": "checkpoint", "t": floats.to_json(row.t)}
        stored.add(event_key(fields))
    return (
        []
        if stored == recount.checkpoints
        else [Difference("checkpoints listed", _shown(recount.checkpoints), _shown(stored))]
    )


def _compare_events(reader: StoreReader, recount: Recount) -> list[Difference]:
    """Every event of the other kinds, unknown ones included, with all that it says."""
    stored: dict[str, Tally] = {}
    for row in reader.each_event():
        stored.setdefault(row.kind, Tally()).add(_stored_key(row.data))
    return [
        Difference(f"{kind} events", _shown(recount.events.get(kind)), _shown(stored.get(kind)))
        for kind in sorted(recount.events.keys() | stored.keys())
        if recount.events.get(kind) != stored.get(kind)
    ]


def _stored_key(data: bytes) -> bytes:
    try:
        return event_key(parse_fields(data))
    except (ValueError, KeyError, TypeError, AttributeError):
        return data  # no event any more: it is like none of the journal's


def _compare_episodes(
    folder: RunFolder, reader: StoreReader, recount: Recount, cursors: dict[str, tuple[int, bool]]
) -> list[Difference]:
    found, stored, located = [], set(), 0
    for row in _episodes(reader):
        stored.add(row.episode_id)
        expected = recount.episodes.get(row.episode_id)
        name = f"episode {row.index} ({row.episode_id})"
        if expected is None:
            found.append(Difference(name, "nothing", f"{row.steps} steps"))
            continue
        steps = reader.steps(row.index)
        chain, heap = b"", 0
        for step in steps:
            key = digest(_row_key(step))
            chain, heap = digest(chain + key), (heap + int.from_bytes(key, "big")) % (1 << 128)
        alike = heap == expected.heap if expected.mixed else chain == expected.chain
        if len(steps) != expected.steps or not alike:
            located += 1
            differing = _locate(folder, cursors, row.episode_id, steps) if located <= _LOCATED else None
            found.append(
                differing or Difference(f"steps of {name}", f"{expected.steps} steps", f"{len(steps)} steps")
            )
        found += _compare_facts(name, row, expected)
        kept = reader.reset(row.index)
        if expected.reset is not None and (not kept or digest(event_key(kept)) != expected.reset):
            found.append(Difference(f"reset of {name}", "one reset", "another" if kept else "none"))
    found += [
        Difference(f"episode {episode_id!r}", f"{episode.steps} steps", "nothing")
        for episode_id, episode in recount.episodes.items()
        if episode_id not in stored
    ]
    return found


def _episodes(reader: StoreReader) -> Iterator[EpisodeRow]:
    first = 0
    while page := reader.episodes(first_index=first, limit=_PAGE):
        yield from page
        first = page[-1].index + 1


def _compare_facts(name: str, row: EpisodeRow, expected: EpisodeCount) -> list[Difference]:
    """What an episode's row says beside its steps, fact by fact."""
    compared = _FACTS
    if expected.mixed:
        compared = {fact: _FACTS[fact] for fact in _TOLD if expected.told}
    pairs = [
        (fact, expected.facts.get(fact, default), getattr(row, attribute))
        for fact, (attribute, default) in compared.items()
    ]
    if expected.index is not None:
        pairs.append(("index", expected.index, row.index))
    return [
        Difference(f"{fact} of {name}", repr(there), repr(here))
        for fact, there, here in pairs
        if _exact(fact, there) != _exact(fact, here)
    ]


def _exact(fact: str, value: Any) -> Any:
    return bits(value) if fact in _FLOAT_FACTS and value is not None else value


def _locate(
    folder: RunFolder, cursors: dict[str, tuple[int, bool]], episode_id: str, stored: list[StepRow]
) -> Difference | None:
    """The first step of an episode that differs."""
    at = 0
    for source, offset, line in lines_of(folder, cursors, {}):
        understood = understand(line or b"", is_text=source == "stdout.log")
        if understood is None or understood[0] != "step" or understood[1]["episode_id"] != episode_id:
            continue
        there = step_key(understood[1]).decode()
        here = _row_key(stored[at]).decode() if at < len(stored) else "no such step"
        if there != here:
            return Difference(f"step {at} of episode {episode_id!r} ({source} at byte {offset})", there, here)
        at += 1
    if at < len(stored):
        return Difference(
            f"step {at} of episode {episode_id!r}", "no such step", _row_key(stored[at]).decode()
        )
    return None


def _row_key(row: StepRow) -> bytes:
    return step_key(
        {
            "step": row.step,
            "action": row.action,
            "reward": row.reward,
            "terminated": row.terminated,
            "truncated": row.truncated,
            "obs": row.obs,
            "t": row.t,
            "agent_id": row.agent_id,
            "turn": row.turn,
            "rewards": row.rewards,
        }
    )


def _metric_key(value: Any, step: int | None, t: Any, source: str | None) -> bytes:
    return json.dumps([bits(value), step, bits(t), source]).encode()


def _shown(tally: Tally | None) -> str:
    return "none" if tally is None else f"{tally.count} of them ({tally.heap:032x})"
