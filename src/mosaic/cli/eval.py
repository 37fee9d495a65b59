"""`mosaic eval CHECKPOINT`: let a saved policy play, as a run like any other.

What stands after `--` is the command that plays it: for what scripts saved, which no runner can load.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from mosaic.app.submitting import parse_tag, shown
from mosaic.cli import options
from mosaic.cli.output import note
from mosaic.cli.progress import Passing
from mosaic.errors import UsageError

__all__ = ["eval_command"]


@click.command("eval", cls=options.WithRest)
@click.argument("checkpoint", metavar="CHECKPOINT")
@click.argument("arguments", nargs=-1, metavar="[env.KEY=VALUE]... [-- COMMAND]")
@options.of_job(
    "eval",
    changes={
        "episodes": {"default": 10, "show_default": True},
        "seed": {"default": 0, "show_default": True, "help": "For the first reset."},
        "env_id": {"help": "Another environment with the same spaces."},
    },
)
@click.option(
    "--runner",
    default="",
    metavar="RUNNER/ALGO",
    help="Its runner and algorithm, if no run of yours saved it.",
)
@click.option("--python", metavar="PATH", help="An interpreter to use instead of the runner's own.")
@click.option("--trust", "trusting", is_flag=True, help="Trust these bytes first, as `mosaic trust` does.")
@click.option("--name", default="", help="A name to find the run by.")
@click.option("--tag", "tags", multiple=True, metavar="KEY=VALUE", help="A label; may be repeated.")
@click.option("--detach", "-d", is_flag=True, help="Do not wait: print the run's id and return.")
@click.option("--dry-run", is_flag=True, help="Print the exact command and the preflight; start nothing.")
@click.pass_context
def eval_command(
    ctx: click.Context,
    /,
    *,
    checkpoint: str,
    arguments: tuple[str, ...],
    runner: str,
    python: str | None,
    trusting: bool,
    name: str,
    tags: tuple[str, ...],
    detach: bool,
    dry_run: bool,
    **fields: Any,
) -> int:
    """Evaluate a checkpoint, as a run like any other.

    The policy plays with its best actions. CHECKPOINT is a file, or RUN, RUN@STEP, RUN:final, RUN:best,
    RUN:last. A child process loads it in its runner's own environment; its run can be watched and replayed.
    A checkpoint that no run of yours saved must be trusted first.

    What a script saved is played by a command of yours after '--'. In its words {checkpoint}, {episodes} and
    {seed} are filled in; MOSAIC_CHECKPOINT, MOSAIC_EPISODES and MOSAIC_SEED tell it the same.

    \b
    Example:
      mosaic eval last --episodes 20
      mosaic eval my-run:best --seed 7
      mosaic eval downloads/ppo.zip --runner sb3/ppo --env CartPole-v1 --trust
      mosaic eval my-script -- python play.py --weights {checkpoint} --episodes {episodes}
    """
    from mosaic.app import evaluating, saved, training
    from mosaic.artifacts.trust import trust
    from mosaic.cli.train import write_checks

    root = options.root()
    with Passing() as passing:
        known = saved.find(root, checkpoint, progress=passing, say=lambda text: note(f"mosaic: {text}"))
    if trusting:
        trust(root, known.path)
    chosen, _, algorithm = runner.partition("/")
    if fields["checkout"]:
        fields["checkout"] = str(Path(fields["checkout"]).absolute())
    plan = evaluating.plan(
        root,
        known,
        env_arguments=_env_arguments(arguments) if arguments else None,
        runner=chosen,
        algorithm=algorithm,
        python=str(Path(python).absolute()) if python else None,
        command=options.rest(ctx),
        **fields,
    )
    if dry_run or not plan.ok:
        write_checks(plan.checks)
        if plan.command:
            sys.stdout.write(shlex.join(shown(plan.command)) + "\n")
        return 0 if plan.ok else UsageError.exit_code
    note(f"mosaic: $ {shlex.join(shown(plan.command))}")
    run_id = training.submit(root, plan, name=name, tags=dict(parse_tag(tag) for tag in tags))
    if detach:
        sys.stdout.write(f"{run_id}\n")
        return 0
    from mosaic.cli.attend import Attendance

    return Attendance(root, run_id, say=lambda text: note(f"mosaic: {text}")).stay()


def _env_arguments(words: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key.startswith("env."):
            raise click.UsageError(f"cannot read {word!r}: arguments of the environment are env.KEY=VALUE")
        found[key] = value
    return found
