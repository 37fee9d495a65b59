"""An independent reading of a journal: what ought to be in the store. Shares no code with ingest.

Standard library JSON, line by line, with rules of its own. Slow on purpose: it is the second opinion.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import zstandard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = [
    "EpisodeCount",
    "Recount",
    "Tally",
    "bits",
    "digest",
    "has_unknown_fields",
    "lines_of",
    "step_key",
    "understand",
]

_LONGEST = 16 * 1024 * 1024
_NUMBER = (int, float, str)
_FIELDS: dict[str, dict[str, tuple[type, ...]]] = {
    "hello": {"protocol": (int,), "producer": (str,), "pid": (int,), "parent_pid": (int,), "python": (str,),
              "executable": (str,), "argv": (list,), "packages": (dict,)},
    "config": {"run_id": (str, type(None)), "algo": (str, type(None)), "env_id": (str, type(None)),
               "seed": (int, type(None)), "args": (dict,)},
    "reset": {"episode_id": (str,), "env_key": (str,), "env_index": (int,), "agent_id": (str, type(None)),
              "group": (str, type(None)), "env": (dict, type(None)), "seed": (int, type(None)),
              "seeded": (bool,)},
    "step": {"episode_id": (str,), "step": (int,), "reward": _NUMBER, "terminated": (bool,),
             "truncated": (bool,), "agent_id": (str, type(None)), "turn": (int, type(None))},
    "episode": {"episode_id": (str,), "steps": (int,), "return": _NUMBER, "outcome": (str, type(None)),
                "t_start": (*_NUMBER, type(None)), "t_end": (*_NUMBER, type(None)), "env_index": (int,),
                "agent_id": (str, type(None)), "seed": (int, type(None))},
    "metric": {"name": (str,), "value": _NUMBER, "step": (int, type(None)), "source": (str, type(None))},
    "checkpoint": {"path": (str,), "sha256": (str, type(None)), "bytes": (int, type(None)),
                   "step": (int, type(None)), "kind": (str, type(None)), "meta": (dict,)},
    "artifacts": {"run_id": (str, type(None)), "video": (str, list, type(None)),
                  "tensorboard": (str, type(None)), "wandb_url": (str, type(None)), "files": (list,)},
    "decision": {"episode_id": (str, type(None)), "step": (int, type(None)), "agent_id": (str, type(None)),
                 "operator": (str, type(None))},
    "belief": {"episode_id": (str, type(None)), "step": (int, type(None)), "agent_id": (str, type(None))},
    "log": {"text": (str,), "level": (str,)},
    "bye": {"reason": (str,), "events": (int, type(None)), "hook_errors": (dict,)},
}  # fmt: skip
_ALWAYS: dict[str, tuple[type, ...]] = {"type": (str,), "seq": (int, type(None)), "t": _NUMBER}
_REQUIRED = {
    "hello": ("protocol", "producer"), "reset": ("episode_id",), "step": ("episode_id", "step"),
    "episode": ("episode_id", "steps"), "metric": ("name", "value"), "checkpoint": ("path",),
    "log": ("text",),
}  # fmt: skip
_FREE = {
    "reset": {"options", "rng", "obs"},
    "step": {"action", "obs"},
    "decision": {"data"},
    "belief": {"data"},
}
_FLOATS = {"t", "reward", "return", "value", "t_start", "t_end"}
_COUNTS = {("step", "step"), ("episode", "steps")}
_WORDS = {"NaN": "7ff8000000000000", "Infinity": "7ff0000000000000", "+Infinity": "7ff0000000000000",
          "-Infinity": "fff0000000000000"}  # fmt: skip


@dataclass
class EpisodeCount:
    """One episode as the journal has it."""

    steps: int = 0
    chain: bytes = b""
    heap: int = 0
    sources: set[str] = field(default_factory=set)
    told_steps: int | None = None
    told_return: str | None = None
    reset: bytes | None = None


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
    metrics: dict[str, Tally] = field(default_factory=dict)
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
    for name, path in sorted(_files(folder).items()):
        end = cursors.get(name, (0, False))[0]
        offset, rest = 0, b""
        for piece in _pieces(path):
            rest += piece
            *lines, rest = rest.split(b"\n")
            for line in lines:
                if offset >= end:
                    if name != "stdout.log":
                        beyond[name] = beyond.get(name, 0) + 1
                else:
                    yield from _clean(name, offset, line)
                offset += len(line) + 1
        tail = rest if name == "stdout.log" else rest.rstrip(b"\0")
        if tail and offset < end:
            if name == "stdout.log":
                yield name, offset, tail
            else:
                yield from ((name, offset, None) for part in tail.split(b"\0") if part)


def _clean(name: str, offset: int, line: bytes) -> Iterator[tuple[str, int, bytes | None]]:
    """A line, and before it what a hole left of others."""
    if name == "stdout.log" or b"\0" not in line:
        yield name, offset, line
        return
    *broken, last = line.split(b"\0")
    for part in broken:
        if part:
            yield name, offset, None
        offset += len(part) + 1
    yield name, offset, last


def understand(line: bytes, *, is_text: bool) -> tuple[str, dict[str, Any]] | None:
    """('odd', {}), ('unknown', …), a known kind with its fields, or None for what is no matter of ours."""
    stripped = line.strip()
    if not stripped or (is_text and not (stripped.startswith(b"{") and b'"type"' in stripped)):
        return None
    try:
        fields = json.loads(stripped.decode("utf-8"), parse_constant=_constant)
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
    """Whether a known event carries fields this version does not know."""
    known = _FIELDS[kind].keys() | _ALWAYS.keys() | _FREE.get(kind, set())
    return not fields.keys() <= known


def bits(value: Any) -> str:
    """The 64 bits of a float field, as hex."""
    if isinstance(value, str):
        return _WORDS[value] if value in _WORDS else value[4:]
    return struct.pack(">d", float(value)).hex()


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
        ],
        sort_keys=True,
    ).encode()


def _files(folder: RunFolder) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(folder.journal.glob("*-*.jsonl*")):
        if path.suffix in (".jsonl", ".zst") and not path.name.startswith("."):
            found[path.name.removesuffix(".zst")] = path
    if folder.stdout.exists():
        found["stdout.log"] = folder.stdout
    return found


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        source = zstandard.ZstdDecompressor().stream_reader(file) if path.suffix == ".zst" else file
        while piece := source.read(1 << 20):
            yield piece


def _fits(kind: str, fields: dict[str, Any]) -> bool:
    if any(name not in fields for name in _REQUIRED.get(kind, ())):
        return False
    for name, value in fields.items():
        wanted = _FIELDS[kind].get(name) or _ALWAYS.get(name)
        if wanted is None:
            continue
        if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
            return False
        if name in _FLOATS and isinstance(value, str) and not _names_float(value):
            return False
        if (kind, name) in _COUNTS and not -(1 << 63) <= int(str(value)) < 1 << 63:
            return False
    return kind != "hello" or all(isinstance(each, str) for each in fields.get("argv", []))


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
