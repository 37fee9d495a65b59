"""What a runner must offer. An entry point of the group `mosaic.runners` names an object of this shape.

Importing the module of a runner must import no framework: it is read by the command line and the desktop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mosaic.protocol.cards import Job, RunnerCard

__all__ = ["DriverRunner", "Runner", "driver_words"]


class Runner(Protocol):
    """A card, and how to build the command for a filled-in one."""

    @property
    def card(self) -> RunnerCard:
        """What the framework offers."""

    def command(self, job: Job, *, python: str) -> list[str]:
        """The program and its arguments for one job, run by `python`. Called after the preflight."""


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
        ("--env", job.env_id),
        ("--seed", job.seed),
        ("--steps", job.steps if job.kind == "train" else None),
        ("--envs", job.envs if job.kind == "train" and job.envs > 1 else None),
        ("--init", job.init),
        ("--resume", job.resume),
        ("--checkpoint", job.checkpoint),
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
    return repr(value) if isinstance(value, float) else str(value)
