"""What the proofs about processes share: programs to run, processes told apart for sure, accounts kept aside.

A proof judges by /proc and by files the workers write themselves, never by what the product says of itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from ulid import ULID

from mosaic.errors import StoreError
from mosaic.protocol.runs import RunSpec
from mosaic.store.reader import StoreReader
from tests.daemons import Daemon, until

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mosaic.paths import DataRoot, RunFolder

__all__ = [
    "WORKERS",
    "Member",
    "bare",
    "environment",
    "frozen",
    "gone",
    "ingest_of",
    "kill",
    "stored",
    "until",
]

WORKERS = Path(__file__).parent.parent / "workers"


def bare(name: str, *arguments: object) -> list[str]:
    """The command of a test program in an interpreter without our hooks: small and quick to start."""
    return [sys.executable, "-S", str(WORKERS / f"{name}.py"), *map(str, arguments)]


def gone(processes: Iterable[psutil.Process]) -> bool:
    """Whether none of those is left, not even as a zombie. psutil tells them by pid and start time."""
    return not any(process.is_running() for process in processes)


def kill(process: psutil.Process) -> None:
    """SIGKILL, and wait until the process is gone."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGKILL)
    until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)


def ingest_of(daemon: Daemon) -> psutil.Process:
    """The daemon's ingest process."""

    found: list[psutil.Process] = []

    def look() -> bool:
        for child in psutil.Process(daemon.pid).children():
            with contextlib.suppress(psutil.Error):  # a shim that has just ended
                if "mosaic.daemon.ingest" in child.cmdline():
                    found.append(child)
        return bool(found)

    until(look)
    return found[0]


def stored(folder: RunFolder, name: str = "n") -> list[float]:
    """The values of a metric in a run's store, in the order they were stored."""
    try:
        with StoreReader(folder) as reader:
            return [row.value for row in reader.metrics(name=name)]
    except StoreError:
        return []  # ingest is about to make it


@dataclass(frozen=True)
class Member:
    """One run of `obeys.py`, and the account it keeps of itself."""

    run_id: str
    place: Path

    @classmethod
    def make(cls, folder: Path) -> Member:
        """A run to be: an id, and a folder for its account."""
        run_id = str(ULID())
        place = folder / run_id
        place.mkdir(parents=True)
        return cls(run_id, place)

    @property
    def spec(self) -> RunSpec:
        """What to submit."""
        return RunSpec(run_id=self.run_id, command=bare("obeys", self.place), cwd="/")

    @property
    def starts(self) -> list[int]:
        """The pid of every start there was."""
        try:
            return [int(line) for line in (self.place / "starts").read_text().split()]
        except FileNotFoundError:
            return []

    @property
    def count(self) -> int:
        """How many events it has printed."""
        try:
            return int((self.place / "count").read_text() or 0)
        except FileNotFoundError:
            return 0

    @property
    def worker(self) -> psutil.Process:
        """Its one worker, once that runs."""
        until(lambda: self.count > 0)
        return psutil.Process(self.starts[0])

    def end(self, how: str) -> None:
        """Tell it how to end: `code 3`, `signal SIGSEGV`."""
        (self.place / ".end").write_text(how)
        (self.place / ".end").rename(self.place / "end")

    def assert_stored_once(self, root: DataRoot, *, killed: bool = False) -> None:
        """All it printed is stored, once and in order; one more if it was killed before it counted that."""
        folder = root.run(self.run_id)
        until(lambda: len(stored(folder)) >= self.count)
        values = stored(folder)
        assert values == list(range(len(values)))
        assert self.count <= len(values) <= self.count + killed


@contextlib.contextmanager
def frozen(*processes: psutil.Process) -> Iterator[None]:
    """Processes that stand still for the time of a block, as in a suspended machine."""
    for process in processes:
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in reversed(processes):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGCONT)


def environment(**changes: str) -> dict[str, str]:
    """Our environment with changes."""
    return {**os.environ, **changes}
