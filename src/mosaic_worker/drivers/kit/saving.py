"""Checkpoints of a driver: written whole or not at all, then listed; old ones are removed by rule.

A file gets its name only when all its bytes are on the disk, and is listed only after that: a save that is
interrupted anywhere leaves the earlier ones as they were. Loads nothing.
"""

from __future__ import annotations

import itertools
import os
from typing import IO, Any, Callable, Dict, List, NamedTuple, Optional

import mosaic_worker
from mosaic_worker.common.retention import Entry, superseded
from mosaic_worker.listing import listed_by_itself

__all__ = ["Saver", "write_whole"]


class _Saved(NamedTuple):
    entry: Entry
    path: str


class Saver:
    """The checkpoints of one training.

    Args:
        suffix: of the files, such as `.npz`.
        kind: the runner's id.
        about: what is true of all of them, for the record: runner, algorithm, env_id and so on.
        keep_last: how many of those on cadence are kept; older ones are removed. Best, final and stop stay.
    """

    def __init__(self, *, suffix: str, kind: str, about: Dict[str, Any], keep_last: int = 3) -> None:
        self.folder = os.path.join(os.environ.get("MOSAIC_RUN_DIR") or os.getcwd(), "checkpoints")
        self._suffix = suffix
        self._kind = kind
        self._about = dict(about, keep_last=keep_last)
        self._keep_last = keep_last
        self._saved: List[_Saved] = []
        self._numbers = itertools.count(1)

    def save(
        self,
        write: Callable[[IO[bytes]], None],
        *,
        step: int,
        reason: str,
        metrics: Optional[Dict[str, float]] = None,
    ) -> str:
        """Write one checkpoint, list it, remove what it supersedes. Returns its path.

        Args:
            write: puts the content into a file open for reading and writing.
            step: how many steps of training it holds.
            reason: `cadence`, `best`, `final` or `stop`.
            metrics: how well the policy does, in a few numbers.
        """
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        path = self._name(step, reason)
        write_whole(path, write)
        mosaic_worker.checkpoint(
            path,
            step=step,
            kind=self._kind,
            meta=dict(self._about, reason=reason, metrics=metrics or {}),
        )
        self._saved.append(_Saved(Entry(next(self._numbers), reason), path))
        self._prune()
        return path

    def _name(self, step: int, reason: str) -> str:
        stem = "step" if reason == "cadence" else reason
        path = os.path.join(self.folder, f"{stem}-{step:09d}{self._suffix}")
        again = 2
        while os.path.exists(path):  # a listed file is never written over
            path = os.path.join(self.folder, f"{stem}-{step:09d}-{again}{self._suffix}")
            again += 1
        return path

    def _prune(self) -> None:
        gone = superseded([saved.entry for saved in self._saved], keep_last=self._keep_last)
        for saved in [saved for saved in self._saved if saved.entry in gone]:
            self._saved.remove(saved)
            try:
                os.unlink(saved.path)
            except FileNotFoundError:  # somebody tidied up before us
                continue


def write_whole(path: str, write: Callable[[IO[bytes]], None]) -> None:
    """Make a file of what `write` puts into it: a crash leaves all of it under its name, or no such name."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.part")
    fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(fd, "w+b") as file:
            with listed_by_itself():  # by `Saver`, once it has its name
                write(file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, path)  # SYNC: the name appears after the bytes are on the disk
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(folder)


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
