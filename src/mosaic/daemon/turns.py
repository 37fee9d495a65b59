"""When a run's next turn of ingest is due. Pure: what is known of the run in, a time out.

A store is as fresh as somebody needs it. While a reader holds a lease a run has a turn every tenth of a
second, after a poke one at once; with nobody looking a turn every two seconds, or sooner when so much is
written that a whole turn's worth is waiting by then. A run that has only begun shows its first events soon,
and one that ends is stored to its end without a pause.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Standing", "due_at"]

SOONEST_SECS = 0.01
"""The least between two turns of a run, however often somebody pokes."""
FRESH_SECS = 0.1
"""Between two turns of a run that somebody looks at."""
FIRST_SECS = 0.25
"""Between two looks at a run that has recorded nothing yet, or is ending."""
UNWATCHED_SECS = 2.0
"""Between two turns of a run that nobody looks at."""
WAITING_BYTES = 2 << 20
"""As much may wait of a run that nobody looks at, by what its last turn read."""
PATIENCE_SECS = 120.0
"""A run that has recorded nothing for so long is looked at like one that has."""
SHARE = 5.0
"""Leases leave a run's turns at most this part of the time: one in so many, however long they take."""


@dataclass(frozen=True)
class Standing:
    """What is known of a run between two turns. Times are of one clock that never jumps.

    Args:
        since: when ingest took the run up.
        last: when its last turn began; None before the first.
        work_secs: how long that one took.
        bytes_per_sec: how fast the run wrote, by what that one read.
        first_at: when its first events were stored; None while there are none.
        more: there is work left that needs no new event.
        ending: the run has ended, or says so.
        leased_until: until when somebody looks.
        poked: somebody asked after the last turn began.
        retry_at: a run that failed is left alone until then.
    """

    since: float
    last: float | None = None
    work_secs: float = 0.0
    bytes_per_sec: float = 0.0
    first_at: float | None = None
    more: bool = False
    ending: bool = False
    leased_until: float = 0.0
    poked: bool = False
    retry_at: float = 0.0


def due_at(run: Standing) -> float:
    """When the next turn is due."""
    if run.last is None:
        return max(run.since, run.retry_at)
    return max(run.last + _pause_secs(run, run.last), run.retry_at)


def _pause_secs(run: Standing, last: float) -> float:
    if run.more:
        return 0.0
    if run.poked:
        return SOONEST_SECS
    pause = min(UNWATCHED_SECS, WAITING_BYTES / max(run.bytes_per_sec, 1.0))
    if run.ending or (run.first_at is None and last - run.since < PATIENCE_SECS):
        pause = min(pause, FIRST_SECS)
    elif run.first_at is not None:
        pause = min(pause, max(FRESH_SECS, last - run.first_at))  # doubles: soon at first, then rarely
    if run.leased_until > last + FRESH_SECS:
        pause = min(pause, max(FRESH_SECS, SHARE * run.work_secs))
    return max(pause, SOONEST_SECS)
