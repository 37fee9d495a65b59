"""What a runner must offer. An entry point of the group `mosaic.runners` names an object of this shape.

Importing the module of a runner must import no framework: it is read by the command line and the desktop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

if TYPE_CHECKING:
    from mosaic.protocol.cards import Algorithm, Check, Job, RunnerCard
    from mosaic.settings import Settings

__all__ = ["Careful", "Discovering", "DriverRunner", "Runner", "driver_words"]


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

    The place is the setting `cleanrl_checkout` (or `--checkout`, which replaces it); it comes back to
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
    """A job as a driver reads it: `train --algo A --env E --seed S --steps N --envs N key=value …`."""
    words: list[str] = [job.kind]
    for flag, value in (
        ("--algo", job.algorithm),
        ("--checkout", job.checkout),
        ("--env", job.env_id),
        ("--seed", job.seed),
        ("--steps", job.steps if job.kind == "train" else None),
        ("--envs", job.envs if job.kind == "train" and job.envs > 1 else None),
        ("--init", job.init),
        ("--resume", job.resume),
        ("--checkpoint", job.checkpoint),
        ("--sha256", job.sha256),
        ("--episodes", job.episodes if job.kind == "eval" else None),
    ):
        if value not in (None, ""):
            words += [flag, str(value)]
    words += [f"{name}={_text(value)}" for name, value in job.parameters.items()]
    return words + list(job.arguments)


def _text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return msgspec.json.encode(value).decode()
    return repr(value) if isinstance(value, float) else str(value)


@runtime_checkable
class Careful(Protocol):
    """What a runner adds when it has something of its own to look at before a launch."""

    def checks(self, job: Job, *, python: str) -> list[Check]:
        """More lines for the preflight. May run `python` for a moment; starts nothing that stays."""
