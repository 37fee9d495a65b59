"""Checkpoints for tests: real files, recorded as a worker does."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from mosaic.artifacts import trust

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.ui.shell.context import Context
    from tests.ui.stored import Stored

__all__ = ["saved"]


def saved(
    context: Context, run: Stored, *, step: int, algorithm: str = "ppo", runner: str = "tabular"
) -> Path:
    """A checkpoint of this run; in its store after the next `commit`."""
    path = run.folder.path / "checkpoints" / f"{step}.npz"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"weights of %d" % step)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    meta = {"runner": runner, "algorithm": algorithm, "env_id": "FrozenLake-v1", "reason": "cadence"}
    run.t += 1
    run.event(
        type="checkpoint",
        path=f"checkpoints/{step}.npz",
        sha256=digest,
        bytes=path.stat().st_size,
        step=step,
        kind="policy",
        meta=meta,
    )
    trust.own_run(context.root, run.run_id)
    return path
