"""What a user's request, or a low disk, means for a run that looks like this. Pure: no place, clock or file.

A `Sight` goes in, a `Decision` comes out: the order to give, the sentence to refuse with, or both. The
trainer obeys. Which queued run comes next is the question of `mosaic.daemon.dispatcher`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mosaic.daemon.places.base import Order
from mosaic.protocol.runs import ENDED, RunState, Want

if TYPE_CHECKING:
    from mosaic.daemon.places.base import Sight

__all__ = ["Decision", "delete", "keep_reserve", "launchable", "pause", "stop", "unpause"]

_PAUSABLE = frozenset({RunState.STARTING, RunState.RUNNING, RunState.PAUSED})
_UNKEPT = frozenset({RunState.ORPHANED, RunState.LOST, RunState.UNREADABLE})


class Decision(NamedTuple):
    """The order to give first, if any; then the reason to refuse with, if any."""

    order: Order | None = None
    refusal: str = ""


def launchable(sight: Sight) -> bool:
    """Whether a run whose folder is there already may be launched: the daemon died while it was submitted."""
    return sight.state is RunState.LOST and not sight.begun


def stop(sight: Sight, *, reason: str) -> Decision:
    """End the run and all that is left of it. A run that has ended, and left nothing, stays as it is."""
    # After its end a keeper still waits for what the worker left behind: an order to stop hurries that.
    # Of a run without a keeper only the place can say whether something is left.
    if sight.kept or sight.state in _UNKEPT:
        return Decision(Order(want=Want.STOP, reason=reason))
    return Decision()


def pause(run_id: str, sight: Sight, *, reason: str) -> Decision:
    """Freeze a run until it is unpaused. A paused run gets the new reason: it becomes the user's pause."""
    if sight.state not in _PAUSABLE:
        return Decision(refusal=f"run {run_id} is {sight.state.value}: only a running one can be paused")
    return Decision(Order(want=Want.PAUSE, reason=reason))


def unpause(run_id: str, sight: Sight, *, disk_low: str) -> Decision:
    """Let a paused run go on. `disk_low`: why the disk is too full for that, or nothing."""
    if sight.state not in _PAUSABLE or sight.want is not Want.PAUSE:
        return Decision(refusal=f"run {run_id} is {sight.state.value}, not paused")
    if disk_low:
        # From now on the run waits for the disk, not for the user: it goes on as soon as there is room.
        return Decision(
            Order(want=Want.PAUSE, reason=disk_low, by_reserve=True),
            refusal=f"{disk_low}. Free some space; the run then goes on by itself.",
        )
    return Decision(Order(want=Want.RUN))


def delete(run_id: str, sight: Sight) -> Decision:
    """Make an ended run ready to be deleted: its keeper, if there still is one, must leave at once.

    One whose folder cannot be read is deleted too, once no process of it is left.
    """
    if sight.state is RunState.UNREADABLE and not (sight.alive or sight.kept):
        return Decision()
    if sight.state not in ENDED:
        return Decision(refusal=f"run {run_id} is {sight.state.value}. Stop it first: mosaic stop {run_id}")
    return Decision(Order(want=Want.STOP, reason="deleted by the user") if sight.kept else None)


def keep_reserve(sight: Sight, *, disk_low: str) -> Decision:
    """Pause what runs while the disk is low; let go on what was paused for that, never what a user paused."""
    if sight.state not in _PAUSABLE:
        return Decision()
    if disk_low and sight.want is Want.RUN:
        return Decision(Order(want=Want.PAUSE, reason=disk_low, by_reserve=True))
    if not disk_low and sight.want is Want.PAUSE and sight.by_reserve:
        return Decision(Order(want=Want.RUN))
    return Decision()
