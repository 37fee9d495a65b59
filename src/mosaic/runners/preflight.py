"""Whether a job can work, before anything is started: gathers facts, in a child too, and has them judged.

Decides nothing: what is asked and what is found mean what `mosaic.runners.decide` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.errors import UsageError
from mosaic.runners import registry
from mosaic.runners.decide import asked, decide, passed
from mosaic.runners.facts import gather
from mosaic.runners.runner import Careful

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import Algorithm, Check, Job
    from mosaic.runners.runner import Runner

__all__ = ["preflight"]


def preflight(
    root: DataRoot, runner: Runner, job: Job, *, python: str | None = None, cwd: str | None = None
) -> list[Check]:
    """Every check for a job. Slow parts run in a child; blocks until it has answered.

    Args:
        root: the data root.
        runner: whose job it is.
        job: what is asked.
        python: an interpreter to use instead of the runner's own.
        cwd: where the job will run: modules named by an environment id are looked for there.
    """
    card = runner.card
    chosen, problem = _choose(runner, job)
    checks = asked(card, job, chosen, problem=problem)
    if not passed(checks):
        return checks
    facts = gather(root, card, job, python=python, cwd=cwd)
    checks += decide(card, chosen, job, facts)
    if isinstance(runner, Careful) and facts.readiness.python is not None and passed(checks):
        checks += runner.checks(job, python=facts.readiness.python)
    return checks


def _choose(runner: Runner, job: Job) -> tuple[Algorithm | None, str]:
    """The job's algorithm, or why there is none of that name."""
    if not runner.card.algorithms and not runner.card.needs_env:
        return None, ""
    try:
        return registry.algorithm(runner, job.algorithm), ""
    except UsageError as error:
        return None, str(error)
