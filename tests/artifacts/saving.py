"""Runs with checkpoints for tests: really recorded and stored, without a daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ulid import ULID

from mosaic.artifacts import trust
from mosaic.protocol.runs import RunSpec
from mosaic.runs import folder as runs
from mosaic.store.ingest import RunIngest
from mosaic_worker.recorder import Recorder

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import Job

__all__ = ["META", "Saved", "saved_run"]

META = {"runner": "tabular", "algorithm": "sarsa", "env_id": "FrozenLake-v1"}


class Saved:
    """One run that is being recorded here."""

    def __init__(self, root: DataRoot, *, name: str, job: Job | None, own: bool) -> None:
        self.run_id = str(ULID())
        spec = RunSpec(run_id=self.run_id, command=["train"], cwd="/", name=name, job=job)
        self.folder = runs.create(root, spec, created=1.0)
        if own:
            trust.own_run(root, self.run_id)
        self._recorder = Recorder(str(self.folder.path))

    def file(self, name: str, content: bytes) -> Path:
        """A file in the run's folder for checkpoints."""
        path = self.folder.path / "checkpoints" / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def save(self, name: str, content: bytes, *, step: int, **meta: Any) -> Path:
        """Save and list a checkpoint."""
        path = self.file(name, content)
        self._recorder.checkpoint(path, step=step, kind="tabular", meta={**META, **meta})
        return path

    def list_elsewhere(self, path: Path, *, kind: str = "torch") -> None:
        """List a file that lies anywhere, as a script's hooks do."""
        self._recorder.checkpoint(path, step=0, kind=kind)

    def end(self) -> None:
        """Close the journal and store all of it."""
        self._recorder.close()
        ingest = RunIngest(self.folder)
        try:
            while ingest.turn().more:
                continue
        finally:
            ingest.close()


def saved_run(root: DataRoot, *, name: str = "", job: Job | None = None, own: bool = True) -> Saved:
    """A new run, to be ended by `end()`."""
    return Saved(root, name=name, job=job, own=own)
