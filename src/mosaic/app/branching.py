"""A new run that continues a recorded episode from one of its steps. Blocks until it is submitted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypedDict

from mosaic.app import reading, submitting
from mosaic.runs.ids import new_run_id

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Unpack

    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunSpec
    from mosaic.store.reader import StoreReader

__all__ = ["How", "branch"]


class How(TypedDict, total=False):
    """What may be said of a branch, as `mosaic.replay.branch.plan_branch` takes it. All may be left out."""

    actions: list[Any] | None
    seed: int
    most: int
    name: str
    allowed: Sequence[str]
    python: str | None


def branch(
    root: DataRoot,
    run_id: str,
    episode: int | str,
    step: int,
    *,
    ask: Callable[[Callable[[StoreReader], RunSpec]], RunSpec] | None = None,
    **how: Unpack[How],
) -> str:
    """Start a run that plays the episode up to a step and then goes its own way. The new run's id.

    Args:
        root: the data root.
        run_id: the run to branch from.
        episode: one of its episodes, by index or id.
        step: how many of its steps are played as recorded.
        ask: what puts a question to the run's store, for those who want to say what they wait for.
        how: what it does then, and what it is called.

    Raises:
        UsageError: there is no such episode or step.
        ReplayError: the episode does not replay exactly up to that step.
        DaemonError: the daemon cannot be reached or started.
    """
    from mosaic.replay.branch import plan_branch
    from mosaic.replay.interpreter import environment

    new = new_run_id()

    def question(reader: StoreReader) -> RunSpec:
        return plan_branch(root.run(run_id), reader, episode, step, run_id=new, **how)

    spec = reading.ask(root, run_id, question) if ask is None else ask(question)
    submitting.submit(root, spec, environment(os.environ))
    return new
