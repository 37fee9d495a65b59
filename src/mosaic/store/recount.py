"""An independent reading of a journal: what ought to be in the store. Shares no code with ingest.

Standard library JSON, line by line, with rules of its own. Slow on purpose: it is the second opinion. Which
fields there are it reads from the protocol's structs; what they may hold it judges by itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import struct
import sys
from dataclasses import dataclass, field
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

import msgspec

from mosaic.protocol.events import EVENT_TYPES, LATER_FIELDS
from mosaic.store.blocks import SealedFile
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import EpisodeRow

__all__ = [
    "EpisodeCount",
    "Recount",
    "Tally",
    "bits",
    "digest",
    "event_key",
    "has_unknown_fields",
    "known_fields",
    "lines_of",
    "number",
    "parse_fields",
    "producer_of",
    "step_key",
    "told_returns",
    "understand",
]

_LONGEST = 16 * 1024 * 1024
_HEAD_BYTES = 64 * 1024
_PIECE = 1 << 20
_GAP = bytes(4096)
_ENDS, _TEXT_ENDS = re.compile(rb"\n|\0+"), re.compile(rb"\n")
_COUNTS = {("step", "step"), ("episode", "steps")}
_WORDS = {"NaN": "7ff8000000000000", "Infinity": "7ff0000000000000", "+Infinity": "7ff0000000000000",
          "-Infinity": "fff0000000000000"}  # fmt: skip


class _Field(NamedTuple):
    """What a field may hold. No `types`: anything. `later`: lines of before may hold anything there."""

    types: tuple[type, ...]
    required: bool
    is_float: bool
    default: str
    later: bool = False


def _field(declared: msgspec.structs.FieldInfo, later: tuple[str, ...]) -> _Field:
    split = get_args(declared.type) if isinstance(declared.type, UnionType) else (declared.type,)
    parts = [part for part in split if part is not msgspec.UnsetType]
    types: list[type] = []
    if Any not in parts and msgspec.Raw not in parts:
        for part in parts:
            types += [int, float] if part is float else [get_origin(part) or part]
    plain = declared.default_factory() if declared.default_factory is not msgspec.NODEFAULT else None
    if isinstance(declared.default, int | float | str):
        plain = declared.default
    is_later = declared.encode_name in later
    return _Field(tuple(types), declared.required, float in parts, json.dumps(plain), is_later)


_TYPE = _Field((str,), required=True, is_float=False, default="null")
_FIELDS = {
    kind: {one.encode_name: _field(one, LATER_FIELDS.get(cls, ())) for one in msgspec.structs.fields(cls)}
    | {"type": _TYPE}
    for kind, cls in EVENT_TYPES.items()
}


@dataclass(slots=True)
class EpisodeCount:
    """One episode as the journal has it.

    `facts` holds what the store should say of it, by the names of `EpisodeRow`. Where `mixed`, several
    producers tell about it; nobody knows in which order their lines were stored, so facts may differ.
    """

    steps: int = 0
    chain: bytes = b""
    heap: int = 0
    producer: str = ""
    mixed: bool = False
    told: bool = False
    reset: bytes | None = None
    index: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    def told_by(self, producer: str) -> None:
        """A producer tells about it."""
        self.mixed = self.mixed or self.producer not in ("", producer)
        self.producer = producer

    def saw_step(self, fields: dict[str, Any]) -> None:
        """A step of it."""
        key = digest(step_key(fields))
        self.chain = digest(self.chain + key)
        self.heap = (self.heap + int.from_bytes(key, "big")) % (1 << 128)
        t = fields.get("t", 0.0)
        self.facts.setdefault("t_start", t)
        if not self.told:
            self.facts["steps"] = self.steps + 1
            self.facts["return"] = number(self.facts.get("return", 0.0)) + number(fields.get("reward", 0.0))
        self.steps += 1
        if fields.get("terminated") or fields.get("truncated"):
            if not self.told:
                self.facts["t_end"] = t
            self.facts.setdefault("outcome", "terminated" if fields.get("terminated") else "truncated")

    def saw_reset(self, fields: dict[str, Any], env: dict[str, Any] | None) -> None:
        """Its beginning, and the environment this or an earlier reset described. The first one holds."""
        if self.reset is not None:
            return
        self.reset = digest(event_key({**fields, "env": env}))
        said = {name: fields.get(name) for name in ("seed", "agent_id", "group")}
        said["role"] = fields.get("role") if fields.get("role") in ("train", "eval") else None
        said |= {"env_index": fields.get("env_index", 0), "t_start": fields.get("t", 0.0)}
        env_id = None if env is None else env.get("id")
        self.facts |= {**said, "env_id": env_id if isinstance(env_id, str) else None}

    def saw_end(self, fields: dict[str, Any]) -> None:
        """Its end. What that says holds, whatever the steps say; what it leaves out stays as it was."""
        self.told = True
        names = ("t_start", "env_index", "agent_id", "seed")
        said = {name: fields[name] for name in names if fields.get(name) is not None}
        if fields.get("outcome"):
            said["outcome"] = sys.intern(fields["outcome"])
        t_end = fields.get("t_end")
        said["t_end"] = fields.get("t", 0.0) if t_end is None else t_end
        self.facts |= {**said, "steps": fields["steps"], "return": fields.get("return", 0.0)}


def told_returns(episodes: Iterable[EpisodeRow]) -> tuple[float | None, float | None]:
    """The last return and the mean of the last 100, as the documentation defines them.

    Of the episodes that ended after at least one step and were not cut: the training and unknown ones, or
    where there are none, evaluation. The latest are those whose last events came last.
    """
    ended = [one for one in episodes if one.t_end is not None and one.steps > 0 and one.outcome != "cut"]
    told = [one for one in ended if one.role != "eval"] or ended
    returns = [one.return_ for one in sorted(told, key=lambda one: one.seq)][-100:]
    return (returns[-1], sum(returns) / len(returns)) if returns else (None, None)


@dataclass
class Tally:
    """How many of one kind, and an order-free digest of them."""

    count: int = 0
    heap: int = 0

    def add(self, key: bytes) -> None:
        """Count one."""
        self.count += 1
        self.heap = (self.heap + int.from_bytes(digest(key), "big")) % (1 << 128)


@dataclass
class Recount:
    """What the whole journal says."""

    episodes: dict[str, EpisodeCount] = field(default_factory=dict)
    envs: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    metrics: dict[str, Tally] = field(default_factory=dict)
    checkpoints: Tally = field(default_factory=Tally)
    events: dict[str, Tally] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    odd: int = 0
    unknown: int = 0
    beyond: dict[str, int] = field(default_factory=dict)
    wronged: list[str] = field(default_factory=list)


def lines_of(
    folder: RunFolder, cursors: dict[str, tuple[int, bool]], beyond: dict[str, int]
) -> Iterator[tuple[str, int, bytes | None]]:
    """Every line of every source up to its cursor: (source, offset, line), None for a piece no newline ended.

    What lies behind a cursor is counted into `beyond`.
    """
    for name, path in _files(folder).items():
        end = cursors.get(name, (0, False))[0]
        is_text = name == "stdout.log"
        for offset, line, length, ending in _fragments(_pieces(path), _TEXT_ENDS if is_text else _ENDS):
            if offset >= end:
                if not is_text and ending == b"\n":
                    beyond[name] = beyond.get(name, 0) + 1
            elif length > _LONGEST:
                head = line[:_HEAD_BYTES]
                if not is_text or (head.lstrip().startswith(b"{") and b'"type"' in head and _GAP not in head):
                    yield name, offset, None
            elif is_text or ending == b"\n":
                yield name, offset, line
            elif line:
                yield name, offset, None


def _fragments(pieces: Iterator[bytes], ends: re.Pattern[bytes]) -> Iterator[tuple[int, bytes, int, bytes]]:
    """What stands between line ends and NULs: its offset, its first bytes, its length, what ended it."""
    offset = length = 0
    parts: list[bytes] = []
    kept = 0
    for piece in pieces:
        at = 0
        for match in ends.finditer(piece):
            parts.append(piece[at : match.start()])
            length += match.start() - at
            yield offset, b"".join(parts), length, piece[match.start() : match.start() + 1]
            offset, at, length = offset + length + len(match[0]), match.end(), 0
            parts, kept = [], 0
        length += len(piece) - at
        if kept <= _LONGEST:
            parts.append(piece[at:])
            kept += len(piece) - at
    if length:
        yield offset, b"".join(parts), length, b""


def understand(line: bytes, *, is_text: bool) -> tuple[str, dict[str, Any]] | None:
    """('odd', {}), ('unknown', …), a known kind with its fields, or None for what is not our concern."""
    stripped = line.strip()
    if not stripped or (is_text and not (stripped.startswith(b"{") and b'"type"' in stripped)):
        return None
    if is_text and _GAP in stripped:
        return None  # of which a part was dropped for the log's quota: it was no event
    try:
        fields = parse_fields(stripped)
    except (ValueError, RecursionError):
        fields = None
    if len(line) > _LONGEST or not isinstance(fields, dict):
        return "odd", {}
    if "type" not in fields and fields.get("event") in _FIELDS:
        fields["type"] = fields.pop("event")
    kind = fields.get("type")
    if not isinstance(kind, str):
        return "odd", {}
    if kind not in _FIELDS:
        return "unknown", fields
    return (kind, fields) if _fits(kind, fields) else ("odd", {})


def has_unknown_fields(kind: str, fields: dict[str, Any]) -> bool:
    """Whether a known event carries fields this version does not know, or knows to mean something else."""
    known = _FIELDS[kind]
    return any(name not in known or not _holds(known[name], value) for name, value in fields.items())


def known_fields(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    """What a known event says in the fields that this version knows."""
    return {name: value for name, value in fields.items() if name in _FIELDS[kind]}


def parse_fields(line: bytes) -> Any:
    """The JSON of a line; numbers that are not finite, however written, by their names."""
    return json.loads(line.decode("utf-8"), parse_constant=_constant, parse_float=_float)


def bits(value: Any) -> str:
    """The 64 bits of a float field, as hex."""
    if isinstance(value, str):
        return _WORDS[value] if value in _WORDS else value[4:]
    return struct.pack(">d", float(value)).hex()


def number(value: Any) -> float:
    """The float of a float field."""
    return float(struct.unpack(">d", bytes.fromhex(bits(value)))[0] if isinstance(value, str) else value)


def digest(key: bytes) -> bytes:
    """Sixteen bytes that stand for a key."""
    return hashlib.blake2b(key, digest_size=16).digest()


def step_key(fields: dict[str, Any]) -> bytes:
    """Everything a step says, in one way of writing it."""
    return json.dumps(
        [
            fields["step"],
            fields.get("action"),
            bits(fields.get("reward", 0.0)),
            bool(fields.get("terminated", False)),
            bool(fields.get("truncated", False)),
            fields.get("obs"),
            bits(fields.get("t", 0.0)),
            fields.get("agent_id"),
            fields.get("turn"),
            fields.get("rewards"),
        ],
        sort_keys=True,
    ).encode()


def event_key(fields: dict[str, Any]) -> bytes:
    """Everything an event says, in one way of writing it. Its producer's number and defaults do not count."""
    known = _FIELDS.get(fields["type"], {})
    said = {}
    for name, value in fields.items():
        declared = known.get(name, _TYPE)
        is_float = declared.is_float and value is not None and _holds(declared, value)
        shown = bits(value) if is_float else value
        default = bits(0.0) if is_float and declared.default == "0.0" else json.loads(declared.default)
        if name != "seq" and json.dumps(shown) not in ("null", json.dumps(default)):
            said[name] = shown
    return json.dumps(said, sort_keys=True).encode()


def producer_of(source: str) -> str:
    """Who wrote a source. Its lines are stored in the order in which they stand."""
    return source.rpartition("-")[0] or source


def _files(folder: RunFolder) -> dict[str, Path]:
    """Every source by name, each producer's segments in order."""
    found: dict[str, Path] = {}
    for path in sorted(folder.journal.glob("*-*.jsonl*")):
        plain = path.name.isprintable() and not path.name.startswith(".")
        if plain and path.suffix in (".jsonl", ".zst") and (_is_file(path) or _is_file(_sealed(path))):
            found[path.name.removesuffix(".zst")] = path
    if _is_file(folder.stdout):
        found["stdout.log"] = folder.stdout
    return dict(sorted(found.items(), key=lambda file: (producer_of(file[0]), len(file[0]), file[0])))


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _sealed(path: Path) -> Path:
    return path if path.suffix == ".zst" else path.with_name(f"{path.name}.zst")


def _opened(path: Path) -> tuple[int, Path]:
    """A source's descriptor, and the name it has now."""
    try:
        return open_regular(path), path
    except FileNotFoundError:
        if path.suffix != ".jsonl":
            raise
        # SYNC: ingest may seal a segment after it was listed. Its sealed form has its name, whole, before the
        # plain one loses it: whoever finds no plain one finds that.
        return open_regular(_sealed(path)), _sealed(path)


def _pieces(path: Path) -> Iterator[bytes]:
    fd, path = _opened(path)
    with os.fdopen(fd, "rb") as file:
        if path.suffix == ".zst":
            sealed = SealedFile(file.fileno())
            for at in range(0, sealed.length, _PIECE):
                yield sealed.read(at, _PIECE)
        else:
            while piece := file.read(_PIECE):
                yield piece


def _fits(kind: str, fields: dict[str, Any]) -> bool:
    known = _FIELDS[kind]
    if any(declared.required and name not in fields for name, declared in known.items()):
        return False
    for name, value in fields.items():
        declared = known.get(name)
        if declared is None:
            continue
        if not declared.later and not _holds(declared, value):
            return False
        if (kind, name) in _COUNTS and not -(1 << 63) <= int(str(value)) < 1 << 63:
            return False
    return kind != "hello" or all(isinstance(each, str) for each in fields.get("argv", []))


def _holds(declared: _Field, value: Any) -> bool:
    """Whether a field may hold a value."""
    if not declared.types:
        return True
    if not isinstance(value, declared.types) or (isinstance(value, bool) and bool not in declared.types):
        return False
    return not declared.is_float or value is None or _is_float(value)


def _is_float(value: Any) -> bool:
    if isinstance(value, str):
        return _names_float(value)
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _names_float(text: str) -> bool:
    if text in _WORDS:
        return True
    try:
        (value,) = struct.unpack(">d", bytes.fromhex(text[4:]))
    except (ValueError, struct.error):
        return False
    return text.startswith("NaN:") and len(text) == 20 and value != value  # noqa: PLR0124  (the NaN test)


def _constant(name: str) -> str:
    return name


def _float(digits: str) -> float | str:
    value = float(digits)
    return value if value - value == 0.0 else ("Infinity" if value > 0 else "-Infinity")
