"""`mosaic train RUNNER/ALGO ENV`: check, start, and stay with it. What cannot work starts nothing."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from mosaic.app.submitting import parse_tag, secrets_here, shown
from mosaic.cli import options
from mosaic.cli.output import note, paint, plain, write_json
from mosaic.text import visible

if TYPE_CHECKING:
    from mosaic.app.training import Plan
    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import Check, Job

__all__ = ["train_command", "write_checks"]

_COLOURS = {"ok": "32", "warn": "33", "fail": "31;1"}


@click.command("train", cls=options.WithRest, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="RUNNER/ALGO ENV [KEY=VALUE]...")
@options.of_job("train")
@click.option("--seeds", metavar="1-5", help="Several seeds, as 1-5 or 1,2,3: one run each, as a group.")
@click.option(
    "--runner-arg", "arguments", multiple=True, metavar="WORD", help="A word for the runner's command."
)
@click.option("--name", default="", help="A name to find the run by.")
@click.option("--tag", "tags", multiple=True, metavar="KEY=VALUE", help="A label; may be repeated.")
@click.option("--python", metavar="PATH", help="An interpreter to use instead of the runner's own.")
@click.option("--detach", "-d", is_flag=True, help="Do not wait: print the run's id and return.")
@click.option("--dry-run", is_flag=True, help="Print the exact command and the preflight; start nothing.")
@click.option("--help-params", is_flag=True, help="List the parameters of RUNNER/ALGO.")
@click.option("--json", "as_json", is_flag=True, help="For programs; with --dry-run or --detach.")
@click.pass_context
def train_command(
    ctx: click.Context,
    /,
    *,
    words: tuple[str, ...],
    seeds: str | None,
    arguments: tuple[str, ...],
    name: str,
    tags: tuple[str, ...],
    python: str | None,
    detach: bool,
    dry_run: bool,
    help_params: bool,
    as_json: bool,
    **fields: Any,
) -> int:
    """Train with a runner.

    Parameters of the algorithm are written --learning-rate 0.001, learning_rate=0.001 or learning_rate:0.001;
    arguments of the environment env.KEY=VALUE; what stands after '--' goes to the runner's command as it is.
    Everything is checked before it starts; what cannot work exits with 2.

    \b
    Example:
      mosaic train tabular/q_learning FrozenLake-v1 --steps 20000 env.is_slippery=false
      mosaic train sb3/ppo CartPole-v1 --seeds 1-5 --learning-rate 0.001 --detach
      mosaic train sb3/ppo --help-params
      mosaic train --resume last --steps 10000
      mosaic train script -- python train.py
    """
    from mosaic.app import training
    from mosaic.cli import jobs

    if fields["seed"] is not None and seeds is not None:
        raise click.UsageError("--seed is one seed, --seeds are several: give one of them")
    if fields["resume"] is not None and seeds is not None:
        raise click.UsageError("a resumed training has one seed: leave out --seeds")
    if as_json and not (detach or dry_run or help_params):
        raise click.UsageError("--json needs --dry-run or --detach: otherwise stdout is the run's own")
    root = options.root()
    asked = jobs.Asked(words=list(words), rest=options.rest(ctx), arguments=list(arguments), fields=fields)
    if help_params:
        return jobs.show_parameters(root, asked, as_json=as_json)
    job = jobs.job_of(root, asked)
    every = training.seeds_of(seeds) if seeds is not None else []
    if every:
        job = msgspec.structs.replace(job, seed=every[0])
    plan = _checked(root, job, python)
    if dry_run or not plan.ok:
        return _show(plan, as_json=as_json, dry_run=dry_run, seeds=every)
    labels = dict(parse_tag(tag) for tag in tags)
    return _start(root, plan, every, name=name, tags=labels, python=python, detach=detach, as_json=as_json)


def _checked(root: DataRoot, job: Job, python: str | None) -> Plan:
    from mosaic.app import training

    if not sys.stderr.isatty():
        return training.plan(root, job, python=python)
    from mosaic.cli.progress import Passing

    with Passing() as passing:
        passing("checking that it can work …")
        return training.plan(root, job, python=python)


def _start(
    root: DataRoot,
    plan: Plan,
    seeds: list[int],
    *,
    name: str,
    tags: dict[str, str],
    python: str | None,
    detach: bool,
    as_json: bool,
) -> int:
    from mosaic.app import training

    for check in plan.checks:
        if check.level == "warn":
            note(f"mosaic: {_line(check)}")
    note(f"mosaic: $ {shlex.join(shown(plan.command))}")
    ids = (
        training.start_seeds(root, plan, seeds, name=name, tags=tags, python=python)
        if seeds
        else [training.submit(root, plan, name=name, tags=tags)]
    )
    if detach:
        if as_json:
            write_json({"runs": ids, **_asked(plan)})
        else:
            sys.stdout.write("".join(f"{run_id}\n" for run_id in ids))
        return 0
    return _stay(root, ids)


def _stay(root: DataRoot, ids: list[str]) -> int:
    def say(text: str) -> None:
        note(f"mosaic: {text}")

    if len(ids) == 1:
        from mosaic.cli.attend import Attendance

        return Attendance(root, ids[0], say=say).stay()
    from mosaic.cli.attend_group import GroupAttendance

    return GroupAttendance(root, ids, say=say).stay()


def _show(plan: Plan, *, as_json: bool, dry_run: bool, seeds: list[int]) -> int:
    code = 0 if plan.ok else 2
    if as_json:
        write_json(
            {
                "ok": plan.ok,
                **_asked(plan),
                "checks": plain(plan.checks),
                "seeds": seeds,
            }
        )
    elif dry_run:
        sys.stdout.write(f"{_command_line(plan)}\n")
        if len(seeds) > 1:
            sys.stdout.write(f"and the same with seeds {', '.join(str(seed) for seed in seeds[1:])}\n")
        write_checks(plan.checks)
    if not plan.ok and not dry_run:
        for check in plan.checks:
            if check.level == "fail":
                note(f"mosaic: {_line(check)}")
    if not plan.ok:
        note("mosaic: nothing was started")
    return code


def _asked(plan: Plan) -> dict[str, Any]:
    """The command and the job, without the secrets in them."""
    from mosaic.protocol.shown import job_shown

    return {
        "command": shown(plan.command),
        "job": plain(job_shown(plan.job, secrets_here(plan.command))),
    }


def _command_line(plan: Plan) -> str:
    return (
        visible(shlex.join(shown(plan.command)))
        if plan.command
        else "(no command: there is no interpreter for it)"
    )


def _line(check: Check) -> str:
    return f"{check.name}: {check.text}" + (f". {_way_out(check)}" if check.remedy else "")


def _way_out(check: Check) -> str:
    if check.remedy.startswith("mosaic "):
        return check.remedy  # a command, to be typed as it stands
    return check.remedy[:1].upper() + check.remedy[1:]


def write_checks(checks: list[Check]) -> None:
    """One line per check on stdout, and what to do about it below."""
    for check in checks:
        mark = paint(_COLOURS[check.level], f"{check.level:<4}")
        sys.stdout.write(f"{mark}  {check.name:<13}  {visible(check.text)}\n")
        if check.remedy:
            sys.stdout.write(f"{'':<19}  fix: {visible(check.remedy)}\n")
