"""Reading a run's store, with everything its journal holds in it. Waits, never guesses.

An ended run is read only once all of it is in the store: the daemon is started if need be, and waited for. A
run that is still going is brought up to this moment first, which takes a moment: nobody ingests it closely
while nobody looks. What could not be brought up in time is read as it is, and how old that is is said. A
store that is missing or damaged is built anew from the journal, and that is said.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, TypeVar

from mosaic.errors import StoreError
from mosaic.protocol.runs import ENDED, RunState
from mosaic.runs import freshness
from mosaic.runs.files import can_only_read
from mosaic.runs.folder import observe
from mosaic.runs.lifecycle import judge
from mosaic.runs.locks import held
from mosaic.text import os_words
from mosaic_worker.common.opening import check_regular

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot, RunFolder
    from mosaic.rpc.client import Client
    from mosaic.store.reader import StoreReader

__all__ = [
    "ask",
    "daemon",
    "ensure_daemon",
    "has_ended",
    "refresh",
    "refresh_all",
    "settled",
    "silent",
    "wait_ingested",
]

T = TypeVar("T")

_POLL_SECS = 0.05
_PATIENCE_SECS = 0.5
_REFRESH_SECS = 0.5
_REFRESH_ALL_SECS = 0.1
_OLD_SECS = 2.0


def silent(text: str) -> None:
    """Say nothing."""


def daemon(root: DataRoot) -> Client:
    """A client of this data root's daemon, started when there is none."""
    from mosaic.rpc.launch import connect

    return connect(root)


def ensure_daemon(root: DataRoot) -> None:
    """Make sure the daemon runs: cheap when it does."""
    if not held(root.daemon_lock):
        from mosaic.rpc.launch import start_daemon

        start_daemon(root)


def has_ended(root: DataRoot, run_id: str) -> bool:
    """Whether no process of the run is left.

    Raises:
        StoreError: its folder does not tell: waiting for it would never end.
    """
    verdict = judge(observe(root.run(run_id)))
    if verdict.state is RunState.UNREADABLE:
        raise StoreError(
            f"run {run_id} is unreadable: {verdict.reason}. Mend that, or delete it: mosaic rm {run_id}"
        )
    return verdict.state in ENDED


def wait_ingested(
    root: DataRoot, run_id: str, *, timeout_secs: float = 60.0, progress: Callable[[str], None] = silent
) -> bool:
    """Wait until everything a run has written so far is in its store.

    Args:
        root: The data root.
        run_id: The run.
        timeout_secs: When to give up.
        progress: Told again and again how far it is, when it takes longer than a moment.

    Returns:
        Whether it is all there.
    """
    from mosaic.store.lag import lag

    folder = root.run(run_id)
    if can_only_read(root.path):
        return lag(folder).bytes == 0
    started = said = time.monotonic()
    if not folder.store.exists() and settled(root, run_id):
        with daemon(
            root
        ) as client:  # the store was deleted, and ingest will not look at this run again by itself
            client.rebuild(run_id)
    while (behind := lag(folder)).bytes > 0:
        now = time.monotonic()
        if now - started > timeout_secs:
            return False
        if now - said > _PATIENCE_SECS:
            progress(f"waiting for ingest: {behind.events:,} events to go")
            said = now
        ensure_daemon(root)
        if not freshness.refresh([folder], timeout_secs=_POLL_SECS):
            time.sleep(_POLL_SECS)
    return True


def refresh(root: DataRoot, run_id: str, *, say: Callable[[str], None] = silent) -> None:
    """Bring the store of a run that is going up to this moment; say so when that was not to be had."""
    folder = root.run(run_id)
    if freshness.refresh([folder], timeout_secs=_REFRESH_SECS):
        return
    stored = freshness.stored_nanos(folder)
    age_secs = (time.time_ns() - stored) / 1e9 if stored else 0.0
    if age_secs > _OLD_SECS:
        say(f"the store is {age_secs:.1f} s behind the run: this shows what is there")


def refresh_all(root: DataRoot) -> None:
    """Bring the stores of all runs that are ingested up to this moment, if that takes a moment only."""
    try:
        names = os.listdir(root.runs)  # noqa: PTH208  (names alone, for thousands of runs)
    except OSError:
        return
    freshness.refresh((root.run(name) for name in names), timeout_secs=_REFRESH_ALL_SECS)


def ask(
    root: DataRoot,
    run_id: str,
    question: Callable[[StoreReader], T],
    *,
    timeout_secs: float = 60.0,
    progress: Callable[[str], None] = silent,
    say: Callable[[str], None] = silent,
) -> T:
    """Put a question to a run's store.

    Args:
        root: The data root.
        run_id: The run.
        question: Asked with an open reader; asked again if the store had to be rebuilt.
        timeout_secs: How long to wait for ingest.
        progress: Told again and again how far the wait is.
        say: Told when not all is there, and about a store that had to be rebuilt.

    Raises:
        StoreError: the store cannot be read, even after a rebuild, or does not come into being in time.
    """
    from mosaic.store.reader import StoreReader

    has_ended(root, run_id)  # an unreadable run is refused here: no rebuild would mend it
    if can_only_read(root.path):
        return _ask_as_it_is(root, run_id, question, say)
    try:
        _wait_readable(root, run_id, timeout_secs=timeout_secs, progress=progress, say=say)
        with StoreReader(root.run(run_id)) as reader:
            return question(reader)
    except StoreError as error:
        say(f"{error}; building the store anew from the journal")
    with daemon(root) as client:
        client.rebuild(run_id)
    with StoreReader(root.run(run_id)) as reader:
        return question(reader)


def _ask_as_it_is(
    root: DataRoot, run_id: str, question: Callable[[StoreReader], T], say: Callable[[str], None]
) -> T:
    """Where nothing can be written no daemon can be started: what the store has is all there is to read."""
    from mosaic.store.lag import lag
    from mosaic.store.reader import StoreReader

    folder = root.run(run_id)
    try:
        with StoreReader(folder) as reader:
            behind = lag(folder)
            if behind.bytes:
                say(f"{root.path} can only be read: {behind.events:,} events that no store has are not shown")
            return question(reader)
    except StoreError as error:
        raise StoreError(
            f"{error}. No store can be made here, because {root.path} can only be read. Copy it to a folder "
            "of yours, and set MOSAIC_HOME to the copy."
        ) from error


def _wait_readable(
    root: DataRoot,
    run_id: str,
    *,
    timeout_secs: float,
    progress: Callable[[str], None],
    say: Callable[[str], None],
) -> None:
    folder, until = root.run(run_id), time.monotonic() + timeout_secs
    _check_store(folder)
    while not folder.store.exists():
        # It comes with ingest's first turn; ingest has turned away from a settled run and will not come back.
        if settled(root, run_id):
            raise StoreError(f"run {run_id} has no store any more")
        if time.monotonic() > until:
            raise StoreError(f"run {run_id} has no store yet")
        ensure_daemon(root)
        time.sleep(_POLL_SECS)
    if not has_ended(root, run_id):
        ensure_daemon(root)
        refresh(root, run_id, say=say)
    elif not wait_ingested(root, run_id, timeout_secs=until - time.monotonic(), progress=progress):
        say("not everything is in the store yet: this shows what is there")


def _check_store(folder: RunFolder) -> None:
    """SQLite opens its files itself, and would wait for a named pipe for ever."""
    try:
        for suffix in ("", "-wal", "-shm"):
            check_regular(f"{folder.store}{suffix}")
    except OSError as error:
        raise StoreError(f"the store is damaged: {os_words(error)}") from error


def settled(root: DataRoot, run_id: str) -> bool:
    """Whether ingest is done with the run for good."""
    from mosaic.store.registry import read_entries

    return any(entry.settled for entry in read_entries(root.registry) if entry.row.run_id == run_id)
