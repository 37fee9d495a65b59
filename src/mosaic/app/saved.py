"""The checkpoints of runs, with none missing because ingest is behind. Opens none of them.

A run that has ended is asked only once all it wrote is in its store, even if the daemon died with it. A run
that still goes on is asked for what is there.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from mosaic.app import reading, run_index
from mosaic.artifacts import checkpoints
from mosaic.errors import StoreError
from mosaic.protocol.runs import ENDED

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.artifacts.checkpoints import Known
    from mosaic.paths import DataRoot

__all__ = ["everywhere", "find", "of_run"]

_PATIENCE_SECS = 60.0


def of_run(
    root: DataRoot,
    run_id: str,
    *,
    progress: Callable[[str], None] = reading.silent,
    say: Callable[[str], None] = reading.silent,
) -> list[Known]:
    """The checkpoints of one run, newest first.

    Args:
        root: the data root.
        run_id: the run.
        progress: told again and again how far the wait is.
        say: told when not all is there, and about a store that had to be rebuilt.

    Raises:
        StoreError: the run's store or manifest cannot be read.
    """
    if reading.has_ended(root, run_id):
        reading.ask(root, run_id, lambda _: None, timeout_secs=_PATIENCE_SECS, progress=progress, say=say)
    return checkpoints.of_run(root, run_id)


def everywhere(root: DataRoot, *, progress: Callable[[str], None] = reading.silent) -> list[Known]:
    """The checkpoints of every run, newest first. Runs that cannot be read are left out."""
    from mosaic.store.registry import read_entries

    settled = {entry.row.run_id for entry in read_entries(root.registry) if entry.settled}
    until = (
        time.monotonic() + _PATIENCE_SECS
    )  # for all of them: one that cannot be stored is not waited for long
    for row in run_index.rows(root):
        if row.state in ENDED and row.run_id not in settled:
            left = max(0.0, until - time.monotonic())
            with suppress(StoreError):
                reading.wait_ingested(root, row.run_id, timeout_secs=left, progress=progress)
    return checkpoints.everywhere(root)


def find(
    root: DataRoot,
    text: str,
    *,
    progress: Callable[[str], None] = reading.silent,
    say: Callable[[str], None] = reading.silent,
) -> Known:
    """The checkpoint meant by a file's path, or by `RUN`, `RUN@STEP`, `RUN:final|best|last|stop`.

    Raises:
        UsageError: there is none like that, or it is not there any more.
        StoreError: the run's store or manifest cannot be read.
    """
    name = checkpoints.run_of(text)
    if name is None:
        everywhere(root, progress=progress)  # any run may have saved this file
    else:
        of_run(root, run_index.find(root, name).run_id, progress=progress, say=say)
    return checkpoints.find(root, text)
