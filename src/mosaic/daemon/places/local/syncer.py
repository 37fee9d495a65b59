"""Group commit for one run: the journal and the logs made durable, a few times a second.

Standard library only, because the shim uses it. Refuses to say "synced" after a round that met an error.
What is no regular file is nothing a worker recorded: it is passed over, and never waited for.
"""

# (no pathlib: it would cost the shim more memory than all the rest)

from __future__ import annotations

import os
import threading
import time

from mosaic_worker.common.opening import BadFileError, open_folder, open_regular

__all__ = ["Syncer"]

_LOGS = ("stdout.log", "stderr.log")


class Syncer:
    """Syncs what changed in a run's folder, given as a descriptor.

    A worker's append only reaches the page cache. Files whose size or modification time changed are synced,
    and once more the round after: a write within the clock tick of the first sync leaves no other trace.
    """

    def __init__(self, folder_fd: int) -> None:
        self._folder = folder_fd
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, int, int]] = {}
        self._again: set[str] = set()
        self._listed: tuple[int, int] | None = None
        self._names: list[str] = []

    def sync(self) -> None:
        """One round. An error of the disk leaves the round undone: the next one tries again."""
        with self._lock:
            began_nanos = time.time_ns() - 10_000_000  # file times come from a clock that ticks this coarsely
            try:
                journal = open_folder("journal", dir_fd=self._folder)
            except OSError:
                return
            try:
                names = self._segments(journal, began_nanos)
                synced, new = self._sync_files(journal, names)
                logged, new_log = self._sync_files(self._folder, list(_LOGS))
                for gone in self._known.keys() - {*names, *_LOGS}:
                    del self._known[gone]
                if new:
                    os.fsync(journal)
                if new_log:
                    os.fsync(self._folder)
                if synced or logged:
                    self._stamp(began_nanos)
            except OSError:
                self._known.clear()
                self._listed = None
            finally:
                os.close(journal)

    def _segments(self, journal: int, began_nanos: int) -> list[str]:
        """The names of the segments; listed anew only when the folder changed, or did so a moment ago."""
        info = os.fstat(journal)
        seen = (info.st_ino, info.st_mtime_ns)
        if seen != self._listed:
            self._names = [name for name in os.listdir(journal) if name.endswith(".jsonl")]
            # A name made within the clock tick of this look leaves no other trace: then it is listed once
            # more.
            self._listed = seen if info.st_mtime_ns < began_nanos else None
        return self._names

    def _sync_files(self, folder: int, names: list[str]) -> tuple[bool, bool]:
        synced = new = False
        for name in names:
            try:
                info = os.stat(name, dir_fd=folder, follow_symlinks=False)
                seen = (info.st_size, info.st_mtime_ns, info.st_ino)
                changed = self._known.get(name) != seen
                if changed or name in self._again:
                    # SYNC: looked at first, synced then: a write in between is synced twice, not never.
                    self._sync_file(folder, name)
                    synced = True
            except FileNotFoundError:
                continue  # sealed meanwhile: ingest synced it
            except BadFileError:
                continue  # no file: nothing of it can be synced
            new = new or name not in self._known
            self._known[name] = seen
            (self._again.add if changed else self._again.discard)(name)
        return synced, new

    def _sync_file(self, folder: int, name: str) -> None:
        fd = open_regular(name, dir_fd=folder)
        try:
            os.fdatasync(fd)
        finally:
            os.close(fd)

    def _stamp(self, nanos: int) -> None:
        try:
            fd = open_regular("synced", os.O_WRONLY | os.O_CREAT, dir_fd=self._folder)
        except BadFileError:
            return  # something else has that name: then nobody learns when, but all is synced
        try:
            os.utime(fd, ns=(nanos, nanos))
        finally:
            os.close(fd)
