"""A small finished run with everything in its journal that ingest treats in a way of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.proof import oracle

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

__all__ = ["EPISODE_LENGTHS", "fill", "lines_of"]

EPISODE_LENGTHS = (3, 90, 0, 12, 5)


def lines_of(producer: str) -> list[bytes]:
    """One producer's lines: episodes of all lengths, one without an end, metrics and the rest."""
    events: list[dict[str, Any]] = [{"type": "hello", "protocol": 1, "producer": producer}]
    for number, length in enumerate(EPISODE_LENGTHS):
        name = f"{producer}.e0.{number}"
        env = {"id": "E-v0"} if number == 0 else None
        events.append({"type": "reset", "episode_id": name, "env_key": "e0", "env": env, "obs": [number]})
        for step in range(length):
            obs = {"nd": "<f4", "shape": [1], "b64": "AAAAAA=="}
            event = {
                "type": "step",
                "episode_id": name,
                "step": step,
                "action": step,
                "reward": step / 7,
                "obs": obs,
            }
            events.append({**event, "terminated": step == length - 1})
            if step % 10 == 0:
                events.append({"type": "metric", "name": f"loss {producer}", "value": step / 3, "step": step})
        if length:
            told = {"steps": length, "return": 1.5, "outcome": "terminated"}
            events.append({"type": "episode", "episode_id": name, **told})
        events.append({"type": "decision", "episode_id": name, "step": 0, "verdict": "veto", "by": producer})
    events.append({"type": "belief", "episode_id": f"{producer}.e0.0", "step": 0, "add": ["at(3)"]})
    events.append({"type": "checkpoint", "path": f"{producer}.zip"})
    events.append({"type": "later", "what": "unknown"})
    return [
        json.dumps({**event, "t": 100.0 + n, "seq": n}).encode() + b"\n" for n, event in enumerate(events)
    ]


def fill(folder: RunFolder) -> None:
    """Two producers of two segments each, odd lines, holes, an empty segment, printed events; and the end."""
    for producer in ("p1x00000000", "p2x00000000"):
        lines = lines_of(producer)
        lines[20] = b"this is no event\n"
        lines[40] = bytes(len(lines[40]))
        half = len(lines) // 2
        (folder.journal / f"{producer}-0000.jsonl").write_bytes(b"".join(lines[:half]))
        (folder.journal / f"{producer}-0001.jsonl").write_bytes(b"".join(lines[half:]) + bytes(500))
    (folder.journal / "p3x00000000-0000.jsonl").write_bytes(bytes(4096))
    printed = {"type": "step", "episode_id": "foreign", "step": 0, "reward": 2.0}
    folder.stdout.write_bytes(b'hello\n{"type":"step"\n' + json.dumps(printed).encode() + b"\n")
    oracle.end_run(folder)
