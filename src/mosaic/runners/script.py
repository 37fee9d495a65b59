"""The runner `script`: any command, as it stands. It offers no algorithm and asks for no environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.protocol.cards import Capabilities, RunnerCard

if TYPE_CHECKING:
    from mosaic.protocol.cards import Job

__all__ = ["RUNNER", "ScriptRunner"]


class ScriptRunner:
    """The words after `--` are the command."""

    card = RunnerCard(
        id="script",
        title="Any command",
        help="Runs a command of yours and records what it does: mosaic train script -- python train.py",
        capabilities=Capabilities(supports_pause=True),
        needs_env=False,
    )

    def command(self, job: Job, *, python: str) -> list[str]:
        """The user's own words; `python` is theirs to name."""
        del python
        return list(job.arguments)


RUNNER = ScriptRunner()
