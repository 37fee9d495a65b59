"""Hears that a record of a run that is going was replaced: a reason to look at it now, not at the next tick.

Every record in a run's folder (what it runs, its order, how it ended) gets its name by a rename, and the
kernel tells of those. It only hints, and of a process that was killed it says nothing: so runs are looked at
now and then all the same.
"""

from __future__ import annotations

import os
import select
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from mosaic.runs import inotify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mosaic.paths import RunFolder

__all__ = ["Records"]


class Records:
    """Listens to the folders of some runs, on a thread of its own.

    Args:
        on_change: Called on that thread when a record was replaced in one of them. Must not block.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._watches: dict[str, int] = {}
        self._notices: inotify.Notices | None = None
        self._stop, self._stopped = -1, -1
        self._thread = threading.Thread(target=self._listen, name="records", daemon=True)

    def start(self) -> None:
        """Begin to listen. Where the kernel has no notices to give, nothing is ever heard."""
        with suppress(OSError):
            self._notices = inotify.Notices()
            self._stopped, self._stop = os.pipe()
            self._thread.start()

    def follow(self, folders: Iterable[RunFolder]) -> bool:
        """Listen to these and to no others; whether all of them will be heard."""
        notices = self._notices
        if notices is None:
            return False
        wanted = {folder.run_id: folder for folder in folders}
        for run_id in self._watches.keys() - wanted.keys():
            notices.ignore(self._watches.pop(run_id))
        for run_id in wanted.keys() - self._watches.keys():
            with suppress(OSError):
                self._watches[run_id] = notices.watch(wanted[run_id].path, inotify.RENAMED)
        return self._watches.keys() >= wanted.keys()

    def close(self) -> None:
        """Hear no more. Twice is fine."""
        if self._stop >= 0:
            os.close(self._stop)
            self._stop = -1
            self._thread.join()
            os.close(self._stopped)
        if self._notices is not None:
            self._notices.close()
            self._notices = None
        self._watches.clear()

    def _listen(self) -> None:
        notices = self._notices
        assert notices is not None  # noqa: S101  (started with one)
        while True:
            readable, _, _ = select.select([notices.fd, self._stopped], [], [])
            if self._stopped in readable:
                return
            if any(kinds & inotify.RENAMED for _, kinds, _ in notices.take()):
                self._on_change()
