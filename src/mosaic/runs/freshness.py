"""How fresh a run's store has to be, and how fresh it is: two empty files whose times say so.

`<run>/fresh` is the readers'. Its access time is a poke: somebody wants all that was acknowledged before it.
Its modification time is a lease: until then somebody wants the store to follow the run closely.
`<run>/stored` is ingest's: everything acknowledged before its modification time is in the store. Both are
there while ingest works on the run. They change how soon something is stored, never whether: the journal is
the truth. So a reader who cannot ask reads what is there, and nothing here fails one.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from mosaic.runs.locks import held
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = ["clear", "keep_fresh", "offer", "poke", "refresh", "stamp", "stored_nanos", "wants"]

_LOOK_SECS = 0.003

# ---- readers -----------------------------------------------------------------------------------------------


def keep_fresh(folder: RunFolder, *, secs: float) -> None:
    """Take or prolong a lease: the store is to follow the run closely for so long. Again is fine."""
    now = time.time_ns()
    _ask(folder, now, until=now + int(secs * 1e9))


def poke(folder: RunFolder) -> int:
    """Ask ingest for a turn now; the time that `stored` must reach to have answered."""
    now = time.time_ns()
    _ask(folder, now, until=0)
    return now


def _ask(folder: RunFolder, now: int, *, until: int) -> None:
    # SYNC: both times are set at once, so a reader may overwrite what another set a moment before. The poke
    # only grows by that; a lease may lose the last second it was prolonged by, and is prolonged every second.
    _set_times(folder.fresh, now, max(until, wants(folder)[1]))


def refresh(folders: Iterable[RunFolder], *, timeout_secs: float = 0.25) -> bool:
    """Have stores brought up to this moment, as far as somebody ingests their runs; whether all are.

    Waits for `timeout_secs` at most, in all.
    """
    until = time.monotonic() + timeout_secs
    asked = [(folder, poke(folder)) for folder in folders if _attended(folder)]
    for folder, since in asked:
        while (stored_nanos(folder) or 0) < since:
            if time.monotonic() >= until or not _attended(folder):
                return False
            time.sleep(_LOOK_SECS)
    return True


def _attended(folder: RunFolder) -> bool:
    """Whether ingest works on the run: only then is there somebody to ask."""
    try:
        return folder.fresh.exists() and held(folder.path / "ingest.lock")
    except OSError:
        return False


# ---- ingest ------------------------------------------------------------------------------------------------


def offer(folder: RunFolder) -> None:
    """Make both files: from now on readers may ask.

    Raises:
        OSError: one cannot be made, or something else lies there.
    """
    for path in (folder.fresh, folder.stored):
        new = _look(path) is None
        os.close(open_regular(path, os.O_WRONLY | os.O_CREAT))
        if new:
            _set_times(path, 0, 0)  # nobody asked yet; nothing is stored yet


def stamp(folder: RunFolder, nanos: int) -> None:
    """Say that all acknowledged before this time is in the store."""
    _set_times(folder.stored, nanos, nanos)


def clear(folder: RunFolder) -> None:
    """Take both files away: the store is complete, or nobody ingests the run."""
    for path in (folder.fresh, folder.stored):
        with suppress(OSError):
            path.unlink(missing_ok=True)


# ---- both --------------------------------------------------------------------------------------------------


def wants(folder: RunFolder) -> tuple[int, int]:
    """The time of the last poke, and until when somebody holds a lease. Zeros when nobody can ask."""
    info = _look(folder.fresh)
    return (0, 0) if info is None else (info.st_atime_ns, info.st_mtime_ns)


def stored_nanos(folder: RunFolder) -> int | None:
    """Up to when everything acknowledged is in the store; None when nobody says."""
    info = _look(folder.stored)
    return None if info is None else info.st_mtime_ns


def _look(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _set_times(path: Path, accessed: int, modified: int) -> None:
    with suppress(OSError):  # not there, or a data root that can only be read
        os.utime(path, ns=(accessed, modified), follow_symlinks=False)
