"""A branch of a recorded episode, started as a new run. Blocks: not for the window's thread."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ulid import ULID

from mosaic.app.reading import daemon
from mosaic.app.submitting import sendable
from mosaic.replay.branch import plan_branch
from mosaic.replay.interpreter import environment
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.paths import DataRoot

__all__ = ["branch"]


def branch(root: DataRoot, run_id: str, episode: int, step: int, *, allowed: Sequence[str] = ()) -> str:
    """Start a run that plays the episode up to a step and goes on with random actions; its id.

    Raises:
        ReplayError: the episode does not replay exactly up to that step.
        DaemonError: the daemon cannot be reached or started.
    """
    new, folder = str(ULID()), root.run(run_id)
    with StoreReader(folder) as reader:
        spec = plan_branch(folder, reader, episode, step, run_id=new, allowed=allowed)
    env, _ = sendable(environment(os.environ))
    with daemon(root) as client:
        client.submit(spec, env=env)
    return new
