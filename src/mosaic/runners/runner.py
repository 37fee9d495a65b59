"""What a runner must offer. An entry point of the group `mosaic.runners` names an object of this shape.

Importing the module of a runner must import no framework: it is read by the command line and the desktop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from mosaic_worker.common.words import write

if TYPE_CHECKING:
    from mosaic.protocol.cards import Algorithm, Check, Job, RunnerCard
    from mosaic.settings import Settings

__all__ = ["Careful", "Discovering", "DriverRunner", "Runner", "Telling", "driver_words"]


@runtime_checkable
class Runner(Protocol):
    """A card, and how to build the command for a filled-in one."""

    @property
    def card(self) -> RunnerCard:
        """What the framework offers."""

    def command(self, job: Job, *, python: str) -> list[str]:
        """The program and its arguments for one job, run by `python`. Called after the preflight."""


@runtime_checkable
class Discovering(Protocol):
    """What a runner adds when (some of) its algorithms are found in a checkout of the user's.

    The folder is `settings.checkouts[card.id]` (`--checkout` replaces it for once); it comes back to
    `command` as `job.checkout`, so the manifest says where the scripts were.
    """

    def discover(self, settings: Settings) -> list[Algorithm]:
        """The algorithms found there. Reads files, imports nothing; empty when no checkout is named.

        Raises:
            UsageError: a checkout is named, but it is none.
        """


class DriverRunner:
    """A runner whose work is done by a driver module: `python -m MODULE train|eval --algo A --env E …`."""

    def __init__(self, card: RunnerCard, *, module: str) -> None:
        self._card = card
        self._module = module

    @property
    def card(self) -> RunnerCard:
        """What the framework offers."""
        return self._card

    def command(self, job: Job, *, python: str) -> list[str]:
        """The command for one job."""
        return [python, "-m", self._module, *driver_words(job)]


def driver_words(job: Job) -> list[str]:
    """A job as a driver reads it: `train --algo A --env E --seed S --steps N key=value …`."""
    return write(job)


@runtime_checkable
class Careful(Protocol):
    """What a runner adds when it has something of its own to look at before a launch."""

    def checks(self, job: Job, *, python: str) -> list[Check]:
        """More lines for the preflight. May run `python` for a moment; starts nothing that stays."""


@runtime_checkable
class Telling(Protocol):
    """What a runner adds when its command learns something from environment variables."""

    def variables(self, job: Job) -> dict[str, str]:
        """What one job's command finds in its environment, beside what the user's own environment holds."""
