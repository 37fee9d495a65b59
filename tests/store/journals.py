"""Journals for the tests of the store, byte for byte as a worker leaves them."""

from __future__ import annotations

import base64
import json
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mosaic.paths import RunFolder
from mosaic.runs.locks import Lock
from mosaic.store.ingest import RunIngest
from mosaic.store.quotas import USUAL, Quotas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mosaic.protocol.rows import StoreSummary

PRODUCER = "p4242x0123abcd"


def make_run(parent: Path, name: str = "01RUN") -> RunFolder:
    """An empty run folder."""
    folder = RunFolder(parent / name)
    folder.path.mkdir(mode=0o700)
    folder.journal.mkdir(mode=0o700)
    return folder


def end_run(folder: RunFolder) -> None:
    """Say that the worker ended."""
    folder.exit.write_text('{"code": 0, "t": 1.0}')


def array(*numbers: float) -> dict[str, Any]:
    """A float32 array on the wire."""
    data = struct.pack(f"<{len(numbers)}f", *numbers)
    return {"nd": "<f4", "shape": [len(numbers)], "b64": base64.b64encode(data).decode()}


class Segments:
    """A producer: numbers its lines, writes segments.

    Closed ones are cut to length, live ones NUL-filled and locked.
    """

    def __init__(self, folder: RunFolder, *, producer: str = PRODUCER, hello: bool = True) -> None:
        self.folder = folder
        self.producer = producer
        self.seq = 0
        self.number = 0
        self.pending = b""
        self._lock: Lock | None = None
        if hello:
            self.add({"type": "hello", "protocol": 1, "producer": producer, "t": 1.0})

    @property
    def path(self) -> Path:
        """The segment written next."""
        return self.folder.journal / f"{self.producer}-{self.number:04d}.jsonl"

    def add(self, *events: dict[str, Any]) -> None:
        """Encode events, each with its number."""
        for event in events:
            self.raw(json.dumps({**event, "seq": self.seq}, separators=(",", ":")).encode() + b"\n")
            self.seq += 1

    def raw(self, data: bytes) -> None:
        """Bytes as they are."""
        self.pending += data

    def episode(
        self, number: int, steps: int, *, t: float = 100.0, close: bool = True, env: bool | None = None
    ) -> str:
        """A whole episode of a made-up CartPole."""
        name = f"{self.producer}.0.{number}"
        reset: dict[str, Any] = {
            "type": "reset",
            "episode_id": name,
            "env_key": "0",
            "t": t,
            "obs": array(0, 0, 0, 0),
        }
        reset["rng"] = {"state": f"{number}99", "inc": "7"}
        if env if env is not None else number == 0:
            reset["env"] = {"api": "gymnasium", "id": "CartPole-v1", "kwargs": {}}
        self.add(reset)
        for k in range(steps):
            last = close and k == steps - 1
            step: dict[str, Any] = {"type": "step", "episode_id": name, "step": k, "action": (k + number) % 2}
            step |= {"reward": 1.0, "obs": array(k * 0.1, -k, number, 0.5), "t": t + k * 0.001}
            if last:
                step["terminated"] = True
            self.add(step)
        if close:
            ending = {
                "type": "episode",
                "episode_id": name,
                "steps": steps,
                "return": float(steps),
                "t": t + 1,
            }
            self.add({**ending, "outcome": "terminated", "t_start": t, "t_end": t + steps * 0.001})
        return name

    def write(self, *, live: bool = False, size: int = 1 << 16) -> Path:
        """Put what is pending into a segment of its own. A live one is locked until `die` or `finish`."""
        data, self.pending = self.pending, b""
        path = self.path
        if live:
            self._lock = Lock(path)
            data = data + b"\0" * (size - len(data))
            self._live = path
        path.write_bytes(data)
        self.number += 1
        return path

    def append_live(self) -> None:
        """More lines into the live segment, over its NULs."""
        with self._live.open("r+b") as file:
            kept = len(file.read().rstrip(b"\0"))
            file.seek(kept)
            file.write(self.pending)
        self.pending = b""

    def die(self) -> None:
        """kill -9: the lock goes, the NULs stay."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def finish(self) -> None:
        """A clean end: cut to length, then let go."""
        with self._live.open("r+b") as file:
            length = len(file.read().rstrip(b"\0"))
            file.truncate(length)
        self.die()


def ingest_all(
    folder: RunFolder,
    *,
    seal: bool = False,
    turn_bytes: int = 4 << 20,
    settle: bool = False,
    quotas: Quotas = USUAL,
) -> StoreSummary:
    """Ingest until nothing is new."""
    with RunIngest(folder, seal=seal, turn_bytes=turn_bytes, quotas=quotas) as ingest:
        while True:
            turn = ingest.turn()
            if not turn.more and not turn.advanced:
                break
        if settle:
            assert ingest.settle()
        return ingest.summary()


def quarantined(folder: RunFolder) -> list[tuple[str, int, bytes]]:
    """What quarantine.jsonl holds."""
    if not folder.quarantine.exists():
        return []
    rows = [json.loads(line) for line in folder.quarantine.read_bytes().splitlines()]
    return [(row["source"], row["offset"], base64.b64decode(row["line_b64"])) for row in rows]


def corrupt(path: Path, change: Callable[[bytearray], Iterable[int] | None]) -> None:
    """Change a file's bytes in place."""
    data = bytearray(path.read_bytes())
    change(data)
    with path.open("r+b") as file:
        file.write(data)
        file.truncate(len(data))
        os.fsync(file.fileno())
