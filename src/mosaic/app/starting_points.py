"""Where a training or an evaluation starts from: a checkpoint that is there, fits, and may be loaded.

What comes out names exact bytes by their SHA-256; the driver loads those or none. Opens no checkpoint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.app import run_index, saved
from mosaic.artifacts import checkpoints, trust
from mosaic.errors import UsageError
from mosaic.runs.folder import read_manifest
from mosaic_worker.common.literals import ENV_PREFIX
from mosaic_worker.common.words import FIELDS

if TYPE_CHECKING:
    from mosaic.artifacts.checkpoints import Known
    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import Job, RunnerCard

__all__ = ["inherited", "loadable", "located", "parent_job"]


def loadable(root: DataRoot, known: Known, card: RunnerCard) -> str:
    """The SHA-256 a driver must find in this checkpoint before it loads anything of it.

    Raises:
        UsageError: it is not there or damaged; or loading it can run code, and nobody trusts these bytes.
    """
    found = checkpoints.verified(known)
    if not found.usable or found.row.sha256 is None:
        raise UsageError(f"{known.path} cannot be used: {found.note or 'it was recorded without its hash'}")
    if card.pickled_checkpoints and not known.trusted and not trust.is_trusted(root, found.row.sha256):
        raise UsageError(
            f"{known.path} does not come from a run that was started here. Loading it can run code that is "
            f"hidden in it. If you trust where it comes from: mosaic trust {known.path}"
        )
    return found.row.sha256


def inherited(root: DataRoot, job: Job) -> Job:
    """A job that resumes a run, with all that it does not say itself taken from that run's job.

    Raises:
        RunNotFoundError: there is no such run.
        UsageError: that run was not a training by a runner.
    """
    if job.kind != "train" or not job.resume:
        return job
    row = run_index.find(root, job.resume)
    parent = parent_job(root, row.run_id)
    if parent is None or parent.kind != "train" or not parent.algorithm:
        raise UsageError(f"run {row.name or row.run_id} was not a training by a runner: it cannot be resumed")
    given = {
        name if name.startswith(ENV_PREFIX) else name.replace("-", "_"): value
        for name, value in job.parameters.items()
    }
    taken = {
        field.name: getattr(parent, field.name)
        for field in FIELDS
        if field.inherited and getattr(job, field.name) == field.default
    }
    same = job.runner in ("", parent.runner)
    return msgspec.structs.replace(
        job,
        runner=job.runner or parent.runner,
        parameters={**parent.parameters, **given} if same else given,
        resume=row.run_id,
        **taken,
    )


def located(root: DataRoot, job: Job, card: RunnerCard) -> Job:
    """A training job with the checkpoint it continues, or starts from, found and checked.

    Raises:
        UsageError: there is none, it is of another algorithm, or it may not be loaded.
    """
    if job.kind != "train" or not (job.resume or job.init):
        return job
    if job.resume and job.init:
        raise UsageError("--resume continues a training, --init begins a new one: give one of them")
    can = card.capabilities
    if not (can.supports_resume if job.resume else can.supports_warmstart):
        return job  # the preflight says so
    # Of a run the newest: one that was stopped and one that ended leave it last.
    known = saved.find(root, f"{job.resume}:last" if job.resume else str(job.init))
    _check_same(job, known)
    sha256 = loadable(root, known, card)
    if not job.resume:
        return msgspec.structs.replace(job, init=str(known.path), sha256=sha256)
    parent = parent_job(root, known.run_id)
    changes: dict[str, Any] = {"resume": known.run_id, "checkpoint": str(known.path), "sha256": sha256}
    if parent is not None:
        changes["seed"] = parent.seed if job.seed is None else job.seed
    return msgspec.structs.replace(job, **changes)


def parent_job(root: DataRoot, run_id: str) -> Job | None:
    """What a run was asked for; None for a plain command."""
    return read_manifest(root.run(run_id)).spec.job


def _check_same(job: Job, known: Known) -> None:
    asked, held = f"{job.runner}/{job.algorithm}", f"{known.runner}/{known.algorithm}"
    if known.runner and known.algorithm and asked != held:
        raise UsageError(
            f"{known.path.name} is a checkpoint of {held}, not of {asked}. Choose one of the same."
        )
    if job.resume and known.env_id and job.env_id and known.env_id != job.env_id:
        raise UsageError(
            f"that run trained on {known.env_id}, not on {job.env_id}. To start on another one "
            f"from its weights: --init {known.run_id}"
        )
