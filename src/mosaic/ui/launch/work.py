"""The slow half of launching: looks, checks, installs, starts. Blocks; called off the window's thread.

Touches no widget and no model: values in, values out.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mosaic.app import training
from mosaic.app.reading import daemon
from mosaic.app.submitting import submit
from mosaic.errors import MosaicError, UsageError
from mosaic.runners import building, environments, registry
from mosaic.runners.runner import Discovering
from mosaic.runs import folder as run_folder
from mosaic.settings import load
from mosaic.ui.launch.model.catalog import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mosaic.app.training import Plan
    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import Job
    from mosaic.protocol.runs import RunSpec
    from mosaic.runners.registry import Listed
    from mosaic.settings import Settings

__all__ = ["InstallCancelledError", "command", "install", "job_of", "look", "start", "start_script", "stop"]


class InstallCancelledError(MosaicError):
    """Whoever asked for an installation gave it up."""


def look(root: DataRoot, checkouts: Mapping[str, str] | None = None) -> list[Entry]:
    """Every runner as it stands now. Cheap: reads cards and files, starts nothing.

    Args:
        root: the data root.
        checkouts: the folders in which runners find their algorithms, by runner; else the settings' say.
    """
    settings, named = load(root), checkouts or {}
    found = [_entry(root, one, settings, named.get(one.id, "")) for one in registry.listed(settings)]
    return [one for one in found if one.card is None or one.card.capabilities.supports_train]


def install(
    root: DataRoot, runner_id: str, *, progress: Callable[[str, float | None], None], again: bool
) -> None:
    """Build a runner's environment. `progress` may raise to give it up."""
    building.build(root, registry.find(runner_id).card, progress=progress, force=again)


def command(root: DataRoot, job: Job) -> list[str]:
    """The exact command of a job, without any check; empty when there is no interpreter to run it."""
    runner, job = training.complete(root, job)
    ready = environments.readiness(root, runner.card)
    return [] if ready.python is None else runner.command(job, python=ready.python)


def start(
    root: DataRoot, plan: Plan, *, seeds: Sequence[int], name: str, tags: Mapping[str, str]
) -> list[str]:
    """Start a training that was checked, or one for each of several seeds; the runs' ids.

    Raises:
        LaunchRefusedError: its preflight refused it.
    """
    plan = training.accept(plan)
    if len(seeds) > 1:
        return training.start_seeds(root, plan, list(seeds), name=name, tags=dict(tags))
    return [training.submit(root, plan, name=name, tags=dict(tags))]


def start_script(root: DataRoot, spec: RunSpec) -> str:
    """Start a command of the user's own; the run's id."""
    submit(root, spec, os.environ)
    return spec.run_id


def stop(root: DataRoot, run_ids: Sequence[str]) -> None:
    """Stop these runs."""
    with daemon(root) as client:
        for run_id in run_ids:
            client.stop(run_id)


def job_of(root: DataRoot, run_id: str) -> tuple[Job, str]:
    """What a run was asked for, and its name.

    Raises:
        UsageError: it is a plain command.
    """
    spec = run_folder.read_manifest(root.run(run_id)).spec
    if spec.job is None:
        raise UsageError(f"run {spec.name or run_id} was a plain command: there is no form to fill")
    return spec.job, spec.name


def _entry(root: DataRoot, one: Listed, settings: Settings, checkout: str) -> Entry:
    if one.runner is None:
        return Entry(id=one.id, card=None, state="broken", text=one.problem)
    runner, problem = one.runner, ""
    if checkout and isinstance(runner, Discovering):
        try:
            there = settings.with_checkout(one.id, checkout)
            runner.discover(there)  # says why it finds none
            runner = registry.find(one.id, there)
        except UsageError as error:
            problem = str(error)
    found = environments.readiness(root, runner.card, settings=settings)
    return Entry(
        id=one.id,
        card=runner.card,
        state="ready" if found.state == "builtin" else found.state,
        text=found.text,
        remedy=found.remedy,
        discovers=isinstance(runner, Discovering),
        folder_problem=problem,
    )
