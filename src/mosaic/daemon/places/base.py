"""What the trainer asks of a place where runs are executed. A place obeys; it decides nothing about runs.

A run's folder always lies at home, in the data root, wherever the run is executed: the place keeps it true
and says what it sees of the run as a `Sight`. How a run is kept, ordered and ended (by processes, locks and
files on this machine; by a connection or a job id elsewhere) is the place's own affair: no other part of the
daemon knows.

Every place promises:

- A launched run is held until it is ordered to run; nothing of the user's is executed before that.
- A run outlives the daemon, and so does its last order. The next daemon's place finds both.
- An end is never guessed: without a record of how a run ended, `exit` is None.
- The folder at home shows the end in the way that holds for every place, because ingest settles a store by it
  (`mosaic.runs.folder.ended`): an exit record once somebody knows how the worker ended, and the run's two
  locks free. `shim.lock` is made when the run is launched and held by its keeper, `tree.lock` by the worker
  and what it starts; a place elsewhere holds both at home for as long as it carries the run's files here.

Whatever a method raises for one run, the trainer goes on with the others: it logs the failure and calls again
where that makes sense. Only what a user asked for gets the error.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

import msgspec

from mosaic.protocol.runs import ExitRecord, RunState, Want
from mosaic.runs.lifecycle import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mosaic.paths import RunFolder
    from mosaic.protocol.runs import RunSpec

__all__ = ["Order", "Place", "Sight"]


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What the daemon wants of a run from now on. It stays in force until the next one."""

    want: Want
    reason: str = ""
    by_reserve: bool = False
    """Paused because the disk is low: goes on by itself, unlike what a user paused."""


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """One look at a run, in words that hold for every place."""

    verdict: Verdict = Verdict(RunState.LOST, "")
    kept: bool = False
    """Somebody at the place keeps the run: obeys orders, ends what it leaves behind, records how it ended."""
    alive: bool = False
    """A process of the run was seen, its keeper included, whatever its folder shows."""
    begun: bool = False
    """The place took the run over at some time. A submission that died before that may be launched again."""
    want: Want | None = None
    """The order in force; None when there never was one."""
    by_reserve: bool = False
    started: float | None = None
    exit: ExitRecord | None = None

    @property
    def state(self) -> RunState:
        """Where the run stands."""
        return self.verdict.state


class Place(abc.ABC):
    """Where runs are executed. Called by the trainer, one call at a time, but for `observe`."""

    @abc.abstractmethod
    def start(self) -> None:
        """Make ready. Called once, when the daemon starts, before anything else.

        Raises:
            OSError: the place cannot be used.
        """

    @abc.abstractmethod
    def adopt(self, folder: RunFolder) -> None:
        """Take up a run that an earlier daemon launched, for example an end that it had begun.

        Called for every run that is found alive in the data root: when the daemon starts, and later for
        folders that came by themselves. Once, or again at each tick until it raises nothing.
        """

    @abc.abstractmethod
    def launch(
        self, folder: RunFolder, spec: RunSpec, env: Mapping[str, str], *, record: Callable[[], None]
    ) -> None:
        """Take a new run over and hold it, to be started by an order. Called when a run is submitted.

        Does nothing when the run was taken over before: the same submission may come twice, also at once.

        Args:
            folder: Its prepared folder, without a manifest so far.
            spec: What to run.
            env: The worker's variables. They may hold secrets, so they must never reach a disk.
            record: Writes the manifest, which makes the folder a run. The place calls it once nobody else can
                take the run over, and before anything is started: so a run is never seen without a keeper
                unless its keeper is really gone.

        Raises:
            LaunchError: the place could not.
            OSError: the folder cannot be written.
        """

    @abc.abstractmethod
    def observe(self, folder: RunFolder) -> Sight:
        """Look at a run. Changes nothing; quick, for every live run is looked at several times a second.

        The only method that is called on any thread, also while another one is under way. While it raises, a
        run keeps the state it was last seen in, and is not started from the queue.
        """

    @abc.abstractmethod
    def order(self, folder: RunFolder, order: Order) -> None:
        """Give a run a new order and return at once; `observe` shows when it is carried out.

        When nobody keeps the run, an order to stop ends what is left of it; where nothing is left, it
        changes nothing. Called when a user asks, and by the trainer's own rules (queue, disk).

        Raises:
            DataRootError: the order cannot be written down.
        """

    @abc.abstractmethod
    def tend(self) -> None:
        """Go on with what takes time. Called several times a second; must not wait."""

    @abc.abstractmethod
    def collect(self, folder: RunFolder) -> None:
        """Take away what an ended run left outside its folder. Again is fine.

        Called after its end, and for every run that a new daemon finds ended.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Let go of everything and leave every run going. Called when the daemon stops; twice is fine."""
