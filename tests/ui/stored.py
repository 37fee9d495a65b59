"""Runs with a real store, made from journals a worker could have written: what the right dock reads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ulid import ULID

from mosaic.protocol import floats
from mosaic.protocol.runs import ExitRecord, RunRow, RunSpec, RunState
from mosaic.runs import files, folder
from mosaic.runs.folder import read_manifest
from mosaic.store.reader import StoreReader
from tests.store.journals import Segments, ingest_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mosaic.paths import DataRoot, RunFolder

__all__ = ["Stored"]

BEGUN = 1_790_000_000.0


class Stored:
    """A run whose worker is this object: what is told of it is in its store after `commit`."""

    def __init__(self, root: DataRoot, *, name: str = "a run", seed: int = 1, **spec: Any) -> None:
        self.run_id = str(ULID())
        given = RunSpec(
            run_id=self.run_id,
            command=["python", "train.py", "--seed", str(seed)],
            cwd="/data/project",
            name=name,
            **spec,
        )
        self.folder: RunFolder = folder.create(root, given, created=BEGUN)
        self.t = BEGUN
        self._seed = seed
        self._segments = Segments(self.folder, hello=False)
        self._segments.add({"type": "hello", "protocol": 1, "producer": self._segments.producer, "t": BEGUN})
        self._episodes = 0
        self._state = RunState.RUNNING

    def episodes(self, returns: Iterable[float], *, length: int = 10, role: str = "", **more: Any) -> None:
        """Ended episodes with these returns, one after the other, ten seconds each."""
        for value in returns:
            episode = self.begin(role=role)
            self.t += 10.0
            told = {
                "type": "episode",
                "episode_id": episode,
                "steps": length,
                "return": floats.to_json(value),
            }
            self._segments.add({**told, "t": self.t, "t_end": self.t, "outcome": "terminated", **more})

    def begin(self, *, role: str = "") -> str:
        """An episode begins."""
        episode = f"{self._segments.producer}.0.{self._episodes}"
        reset: dict[str, Any] = {"type": "reset", "episode_id": episode, "env_key": "0", "t": self.t}
        reset |= {"role": role} if role else {}
        if self._episodes == 0:
            reset |= {"env": {"api": "gymnasium", "id": "CartPole-v1", "kwargs": {}}, "seed": self._seed}
        self._segments.add(reset)
        self._episodes += 1
        return episode

    def metric(self, name: str, values: Sequence[float], *, first_step: int | None = 0) -> None:
        """Logged values, one a second, a step apart."""
        for number, value in enumerate(values):
            self.t += 1.0
            event = {"type": "metric", "name": name, "value": floats.to_json(value), "t": self.t}
            if first_step is not None:
                event["step"] = first_step + number
            self._segments.add(event)

    def event(self, **event: Any) -> None:
        """Any other event."""
        self._segments.add({"t": self.t, **event})

    def commit(self, *, ended: bool = False) -> RunRow:
        """Into the store with it; the row a listing would show."""
        self._segments.write()
        summary = ingest_all(self.folder)
        if ended:
            self._state = RunState.FINISHED
            files.write_json(self.folder.exit, ExitRecord(code=0, t=self.t), synced=False)
        with StoreReader(self.folder) as reader:
            assert reader.summary().store_seq == summary.store_seq
        manifest = read_manifest(self.folder)
        return RunRow(
            run_id=self.run_id,
            name=manifest.spec.name,
            state=self._state,
            reason="exit code 0" if ended else "the worker runs",
            created=manifest.created,
            command=manifest.spec.command,
            tags=manifest.spec.tags,
            started=BEGUN,
            ended=self.t if ended else None,
            exit=ExitRecord(code=0, t=self.t) if ended else None,
            episodes=summary.episodes,
            steps=summary.steps,
            metrics=summary.metrics,
            store_seq=summary.store_seq,
            last_return=None
            if summary.last_return is None or math.isnan(summary.last_return)
            else summary.last_return,
            env_ids=summary.env_ids,
        )
