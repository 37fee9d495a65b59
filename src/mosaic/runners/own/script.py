"""The runner `script`: any command, as it stands. It offers no algorithm and asks for no environment.

What its scripts save only they can load. So a checkpoint is played by a command too, which is told what to
play: in its words, and in its environment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mosaic.protocol.cards import COMMAND_RUNNER, Capabilities, RunnerCard

if TYPE_CHECKING:
    from mosaic.protocol.cards import Job

__all__ = ["RUNNER", "ScriptRunner"]


_BLANK = re.compile(r"\{(checkpoint|episodes|seed)\}")


class ScriptRunner:
    """The words after `--` are the command."""

    card = RunnerCard(
        id=COMMAND_RUNNER,
        title="Any command",
        help="Runs a command of yours and records what it does: mosaic train script -- python train.py",
        capabilities=Capabilities(supports_pause=True),
        needs_env=False,
    )

    def command(self, job: Job, *, python: str) -> list[str]:
        """The user's own words; `python` is theirs to name. An evaluation's have their blanks filled in."""
        del python
        if job.kind != "eval":
            return list(job.arguments)
        return [_filled(word, _told(job)) for word in job.arguments]

    def variables(self, job: Job) -> dict[str, str]:
        """What an evaluation's command finds in its environment: what to play. A training needs none."""
        if job.kind != "eval":
            return {}
        return {f"MOSAIC_{name.upper()}": value for name, value in _told(job).items()}


def _told(job: Job) -> dict[str, str]:
    return {"checkpoint": job.checkpoint or "", "episodes": str(job.episodes), "seed": str(job.seed)}


def _filled(word: str, told: dict[str, str]) -> str:
    """Other braces stay: a word may be JSON. In one pass: a path may hold what looks like a blank."""
    return _BLANK.sub(lambda match: told[match[1]], word)


RUNNER = ScriptRunner()
