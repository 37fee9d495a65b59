"""From the words of `mosaic train` to a job, and the list of an algorithm's parameters for people."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mosaic.cli import words as reading
from mosaic.cli.output import cells, plain, write_json
from mosaic.cli.table import Column, render
from mosaic.errors import UsageError
from mosaic.protocol.cards import Job
from mosaic.runners import registry
from mosaic.runners.parameters import bounds
from mosaic.settings import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import Algorithm, Parameter
    from mosaic.runners.runner import Runner

__all__ = ["Asked", "job_of", "show_parameters", "write_parameters"]

_COLUMNS = (
    Column("PARAMETER"),
    Column("DEFAULT", right=True),
    Column("ALLOWED", flexible=True, least=16),
    Column("HELP", flexible=True, optional=True, least=20),
)


@dataclass(frozen=True)
class Asked:
    """What was typed."""

    words: list[str]
    rest: list[str] | None = None
    """What stood after `--`; None when there was none."""
    arguments: list[str] | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What the options say: fields of the job, by name. `mosaic_worker.common.words` lists them."""

    @property
    def checkout(self) -> str:
        """Where the runner's scripts lie; empty when nobody said."""
        return str(self.fields.get("checkout") or "")


def job_of(root: DataRoot, asked: Asked) -> Job:
    """The job that was asked for.

    Raises:
        UsageError: there is no such runner, algorithm or parameter, or a word means nothing.
    """
    asked = _with_target(root, asked)
    runner, algorithm = _target(root, asked)
    arguments = [*(asked.arguments or []), *(asked.rest or [])]
    if algorithm is None:
        if not arguments and not asked.words[1:]:
            raise UsageError(f"say what to run: mosaic train {runner.card.id} -- python train.py")
        if asked.words[1:]:
            raise UsageError(
                f"the command comes after '--': mosaic train {runner.card.id} -- {asked.words[1]} …"
            )
        return Job(
            runner=runner.card.id, arguments=arguments, **asked.fields
        )  # the preflight refuses the rest
    said = reading.read(asked.words[1:], algorithm)
    return Job(
        runner=runner.card.id,
        algorithm=algorithm.id,
        env_id=said.env_id,
        parameters=dict(said.parameters),
        arguments=arguments,
        **asked.fields,
    )


def _with_target(root: DataRoot, asked: Asked) -> Asked:
    """The same; whoever resumes a run need not say again what it trains."""
    named = bool(asked.words) and not asked.words[0].startswith("-") and "=" not in asked.words[0]
    resume = asked.fields.get("resume")
    if resume is None or named:
        return asked
    from mosaic.app.starting_points import inherited

    job = inherited(root, Job(runner="", resume=resume))
    words = [f"{job.runner}/{job.algorithm}", job.env_id, *asked.words]
    return replace(asked, words=words, fields={**asked.fields, "checkout": asked.checkout or job.checkout})


def _target(root: DataRoot, asked: Asked) -> tuple[Runner, Algorithm | None]:
    if not asked.words or asked.words[0].startswith("-"):
        raise UsageError("name the runner and the algorithm first, as in: mosaic train sb3/ppo CartPole-v1")
    name, algorithm_id = reading.split_target(asked.words[0])
    runner = registry.find(name, load(root).with_checkout(name, asked.checkout))
    if not runner.card.algorithms and not runner.card.needs_env:
        if algorithm_id:
            raise UsageError(f"runner {name} has no algorithms: mosaic train {name} -- python train.py")
        return runner, None
    return runner, registry.algorithm(runner, algorithm_id)


def show_parameters(root: DataRoot, asked: Asked, *, as_json: bool) -> int:
    """Print the parameters of the algorithm that was named."""
    runner, algorithm = _target(root, asked)
    if algorithm is None:
        raise UsageError(f"runner {runner.card.id} has no parameters")
    if as_json:
        write_json(plain(algorithm))
        return 0
    write_parameters(algorithm)
    return 0


def write_parameters(algorithm: Algorithm) -> None:
    """A table of parameters by group, plain ones before advanced ones."""
    groups: dict[str, list[Parameter]] = {}
    for parameter in algorithm.parameters:
        groups.setdefault(parameter.group, []).append(parameter)
    rows = [
        [
            parameter.name,
            _text(parameter.default),
            bounds(parameter),
            parameter.help + (" (advanced)" if parameter.advanced else ""),
        ]
        for group in groups.values()
        for parameter in sorted(group, key=lambda one: one.advanced)
    ]
    if not rows:
        sys.stdout.write("no parameters\n")
        return
    sys.stdout.write("\n".join(render(_COLUMNS, rows, cells=cells())) + "\n")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
