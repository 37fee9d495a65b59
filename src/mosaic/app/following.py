"""Following a run's store by cursor: what there is, then what comes, without a seam. Keeps nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mosaic.app import reading
from mosaic.errors import StoreError
from mosaic.runs import freshness

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mosaic.paths import DataRoot
    from mosaic.protocol.rows import EpisodeRow, StepRow
    from mosaic.store.eventlog import Stored
    from mosaic.store.reader import StoreReader

__all__ = ["episodes", "events", "steps"]

_PAGE = 4096
_POLL_SECS = 0.1
_LEASE_SECS = 3.0


def episodes(root: DataRoot, run_id: str, *, ingest_secs: float) -> Iterator[EpisodeRow]:
    """Episodes as they change, until the run has ended."""
    cursor = 0
    while True:
        last = _complete(root, run_id, ingest_secs)
        while page := _page_of_episodes(root, run_id, cursor, last=last):
            yield from page
            cursor = max(row.seq for row in page)
        if last:
            return
        time.sleep(_POLL_SECS)


def steps(root: DataRoot, run_id: str, *, ingest_secs: float) -> Iterator[tuple[str, StepRow]]:
    """Steps in the order they were stored, until the run has ended."""
    cursor = 0
    while True:
        last = _complete(root, run_id, ingest_secs)
        while True:
            page, following = _page_of_steps(root, run_id, cursor, last=last)
            yield from page
            if following == cursor:
                break
            cursor = following
        if last:
            return
        time.sleep(_POLL_SECS)


def events(
    root: DataRoot, run_id: str, *, kinds: Collection[str] | None, since_seq: int = 0, ingest_secs: float
) -> Iterator[Stored]:
    """Events of these kinds (all without) in the order they were stored, until the run has ended."""
    cursor = since_seq
    while True:
        last = _complete(root, run_id, ingest_secs)
        while page := _page_of_events(root, run_id, kinds, cursor, last=last):
            yield from page
            cursor = page[-1].seq
        if last:
            return
        time.sleep(_POLL_SECS)


def _complete(root: DataRoot, run_id: str, ingest_secs: float) -> bool:
    """Whether the run has ended and all of it is in the store, so that the next read is the last one."""
    if reading.has_ended(root, run_id):
        reading.wait_ingested(root, run_id, timeout_secs=ingest_secs)
        return True
    reading.ensure_daemon(root)
    folder = root.run(run_id)
    if freshness.wants(folder)[1] < time.time_ns() + int(_LEASE_SECS / 2 * 1e9):
        freshness.keep_fresh(folder, secs=_LEASE_SECS)
    return False


def _open(root: DataRoot, run_id: str, *, last: bool) -> StoreReader | None:
    from mosaic.store.reader import StoreReader

    if not root.run(run_id).store.exists():
        return (
            None  # not there yet: it comes with ingest's first turn, or never when there is nothing to ingest
        )
    try:
        return StoreReader(root.run(run_id))
    except StoreError:
        if last:
            raise
        return None  # ingest makes a damaged one anew


def _page_of_episodes(root: DataRoot, run_id: str, cursor: int, *, last: bool) -> list[EpisodeRow]:
    reader = _open(root, run_id, last=last)
    if reader is None:
        return []
    with reader:
        changed = reader.episodes(since_seq=cursor)
    return sorted(changed, key=lambda row: row.seq)


def _page_of_steps(
    root: DataRoot, run_id: str, cursor: int, *, last: bool
) -> tuple[list[tuple[str, StepRow]], int]:
    reader = _open(root, run_id, last=last)
    if reader is None:
        return [], cursor
    with reader:
        return reader.steps_since(cursor, limit=_PAGE)


def _page_of_events(
    root: DataRoot, run_id: str, kinds: Collection[str] | None, cursor: int, *, last: bool
) -> list[Stored]:
    reader = _open(root, run_id, last=last)
    if reader is None:
        return []
    with reader:
        return reader.events(kinds, since_seq=cursor, limit=_PAGE)
