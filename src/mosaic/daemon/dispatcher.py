"""Which queued runs may start. Pure: what stands where goes in, run ids come out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mosaic.protocol.runs import RunState

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["TAKES_A_SLOT", "Standing", "startable"]

TAKES_A_SLOT = frozenset(
    {RunState.STARTING, RunState.RUNNING, RunState.PAUSED, RunState.STOPPING, RunState.ORPHANED}
)
"""A paused run keeps its slot: it holds its memory and will go on."""


class Standing(NamedTuple):
    """Where one run stands. They queue in the order of submission."""

    submitted: float
    run_id: str
    state: RunState


def startable(runs: Iterable[Standing], *, max_running: int, disk_low: bool) -> list[str]:
    """The queued runs to start now, first come first served; none while the disk is low."""
    every = list(runs)
    free = max_running - sum(run.state in TAKES_A_SLOT for run in every)
    if disk_low or free <= 0:
        return []
    return [run.run_id for run in sorted(every) if run.state is RunState.QUEUED][:free]
