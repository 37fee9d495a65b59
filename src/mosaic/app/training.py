"""Training with a runner: from a job to a checked command to a run. A job that cannot work starts nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

from mosaic.app import submitting
from mosaic.errors import LaunchRefusedError, UsageError
from mosaic.protocol.cards import Check, Job  # noqa: TC001  (msgspec reads the annotations)
from mosaic.runs.ids import new_run_id
from mosaic_worker.common import redact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from typing_extensions import Unpack

    from mosaic.paths import DataRoot
    from mosaic.runners.runner import Runner

__all__ = [
    "How",
    "Plan",
    "accept",
    "complete",
    "plan",
    "reseeded",
    "seeds_of",
    "start_seeds",
    "submit",
    "train",
    "train_seeds",
]

_MOST_SEEDS = 1000


class How(TypedDict, total=False):
    """What may be said of any run when it is started. All of it may be left out."""

    name: str
    """A name to find it by."""
    tags: Mapping[str, str] | None
    cwd: str | Path | None
    """Where it runs; by default here."""
    env: Mapping[str, str] | None
    """Its whole environment; by default ours."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What would be started, and whether it can work."""

    job: Job
    command: list[str]
    """The exact command; empty when there is no interpreter to run it."""
    checks: list[Check]
    parent: str | None = None
    """The run it comes from: the one that is resumed, or whose checkpoint plays."""
    variables: dict[str, str] = {}
    """What the command finds in its environment beside the user's own variables."""

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against it."""
        return all(check.level != "fail" for check in self.checks)


def plan(root: DataRoot, job: Job, *, python: str | None = None, cwd: str | Path | None = None) -> Plan:
    """Check a job and build its command. Starts nothing but the child that tries the environment.

    Raises:
        UsageError: there is no such runner, algorithm or parameter, or a value is out of bounds.
    """
    from mosaic.runners.environments import readiness
    from mosaic.runners.preflight import preflight

    runner, job = complete(root, job)
    checks = preflight(root, runner, job, python=python, cwd=None if cwd is None else str(cwd))
    ready = readiness(root, runner.card, python=python)
    command = [] if ready.python is None else runner.command(job, python=ready.python)
    # The job names a run's id by now: `complete` has found the run.
    return Plan(job=job, command=command, checks=checks, parent=job.resume, variables=_variables(runner, job))


def complete(root: DataRoot, job: Job) -> tuple[Runner, Job]:
    """The job's runner, and the job with everything in it that follows from the card: typed values, steps.

    Raises:
        UsageError: there is no such runner, algorithm or parameter, or a value is out of bounds.
    """
    from mosaic.app import starting_points
    from mosaic.runners import registry
    from mosaic.runners.parameters import parse
    from mosaic.runners.runner import Discovering
    from mosaic.settings import load

    settings = load(root)
    if not job.runner or registry.find(job.runner, settings).card.capabilities.supports_resume:
        job = starting_points.inherited(root, job)  # where it cannot be, the preflight says so
    settings = settings.with_checkout(job.runner, job.checkout)
    runner = registry.find(job.runner, settings)
    changes: dict[str, Any] = {}
    if isinstance(runner, Discovering):
        changes["checkout"] = settings.checkouts.get(job.runner, "")
    if runner.card.algorithms or runner.card.needs_env:
        chosen = registry.algorithm(runner, job.algorithm)
        changes["algorithm"] = chosen.id
        changes["parameters"] = parse(chosen, job.parameters)
        if job.kind == "train" and job.steps is None and job.resume is None:
            changes["steps"] = chosen.default_steps
    _check_whole(job)
    return runner, starting_points.located(root, msgspec.structs.replace(job, **changes), runner.card)


def _check_whole(job: Job) -> None:
    """Refuse a job that was taken from a record where a secret is missing.

    Raises:
        UsageError: names what must be given again.
    """
    missing = [name for name, value in job.parameters.items() if redact.marked(value)]
    if missing or redact.marked(job.arguments):
        what = ", ".join(missing) or "an argument"
        raise UsageError(
            f"{what} was a secret, and secrets are not recorded: give it again, as in "
            f"{missing[0] if missing else '--api-key'}=VALUE"
        )


def train(root: DataRoot, job: Job, *, python: str | None = None, **how: Unpack[How]) -> str:
    """Check a job and submit it. The run's id.

    Raises:
        LaunchRefusedError: it cannot work; says why, and nothing was started.
        UsageError: there is no such runner, algorithm or parameter.
        DaemonError: the daemon cannot be reached or started.
    """
    return submit(root, accept(plan(root, job, python=python, cwd=how.get("cwd"))), **how)


def train_seeds(
    root: DataRoot, job: Job, seeds: Sequence[int], *, python: str | None = None, **how: Unpack[How]
) -> list[str]:
    """Check a job once and submit it with each seed: runs of one group. Their ids, in the order of the seeds.

    Raises:
        LaunchRefusedError: it cannot work; nothing was started.
        UsageError: no seed, a seed twice, or no such runner, algorithm or parameter.
    """
    if not seeds:
        raise UsageError("name at least one seed")
    first = msgspec.structs.replace(job, seed=seeds[0])
    checked = accept(plan(root, first, python=python, cwd=how.get("cwd")))
    return start_seeds(root, checked, seeds, python=python, **how)


def start_seeds(
    root: DataRoot, checked: Plan, seeds: Sequence[int], *, python: str | None = None, **how: Unpack[How]
) -> list[str]:
    """Submit an accepted plan once with each seed: runs of one group, named `<name>-s<seed>`. Their ids."""
    if len(set(seeds)) != len(seeds):
        raise UsageError(f"each seed once; got {list(seeds)!r}")
    group = checked.job.group or new_run_id()
    checked = msgspec.structs.replace(checked, job=msgspec.structs.replace(checked.job, group=group))
    plans = [reseeded(root, checked, seed, python=python) for seed in seeds]
    name = how.get("name", "")
    named: list[How] = [{**how, "name": f"{name}-s{seed}" if name else ""} for seed in seeds]
    return [submit(root, one, **how) for one, how in zip(plans, named, strict=True)]


def accept(checked: Plan) -> Plan:
    """The plan, when it can work.

    Raises:
        LaunchRefusedError: it cannot.
    """
    if not checked.ok:
        failed = [check for check in checked.checks if check.level == "fail"]
        lines = [check.text + (f" ({check.remedy})" if check.remedy else "") for check in failed]
        raise LaunchRefusedError("; ".join(lines) + ". Nothing was started.", checked.checks)
    return checked


def reseeded(root: DataRoot, checked: Plan, seed: int, *, python: str | None = None) -> Plan:
    """The same plan with another seed: only the command differs."""
    from mosaic.runners.environments import readiness

    job = msgspec.structs.replace(checked.job, seed=seed)
    runner, job = complete(root, job)
    ready = readiness(root, runner.card, python=python)
    command = runner.command(job, python=ready.python or "")
    return msgspec.structs.replace(checked, job=job, command=command, variables=_variables(runner, job))


def _variables(runner: Runner, job: Job) -> dict[str, str]:
    from mosaic.runners.runner import Telling

    return runner.variables(job) if isinstance(runner, Telling) else {}


def submit(root: DataRoot, checked: Plan, **how: Unpack[How]) -> str:
    """Hand an accepted plan to the daemon. The run's id."""
    from mosaic.runners.children import HEADLESS

    env = how.get("env")
    given = {**(os.environ if env is None else env), **checked.variables}
    how = {**how, "env": given}
    spec = submitting.make_spec(checked.command, **how)
    job = checked.job
    spec = msgspec.structs.replace(spec, runner=job.runner, job=job, parent=checked.parent)
    if job.env_id:
        given = {**HEADLESS, **given}  # the preflight tried it like this
    submitting.submit(root, spec, given)
    return spec.run_id


def seeds_of(text: str) -> list[int]:
    """Seeds as people write them: `1-5`, `1,2,3`, `1-3,7`.

    Raises:
        UsageError: it is something else, or more than a thousand.
    """
    found: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()):
            raise UsageError(f"seeds are written 1-5 or 1,2,3; got {text!r}")
        last = int(high) if dash else int(low)
        if last < int(low) or last - int(low) >= _MOST_SEEDS:
            raise UsageError(f"{part.strip()!r} is not a range of at most {_MOST_SEEDS} seeds, smaller first")
        found += range(int(low), last + 1)
    if len(set(found)) != len(found) or len(found) > _MOST_SEEDS:
        raise UsageError(f"each seed once, and at most {_MOST_SEEDS}; got {text!r}")
    return found
