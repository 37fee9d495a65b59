"""`mosaic eval CHECKPOINT`: let a saved policy play, as a run like any other.

What stands after `--` is the command that plays it: for what scripts saved, which no runner can load.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from mosaic.app.submitting import parse_tag
from mosaic.cli import options
from mosaic.cli.output import note
from mosaic.cli.progress import Passing
from mosaic.errors import UsageError

__all__ = ["eval_command"]


@click.command("eval", cls=options.WithRest)
@click.argument("checkpoint", metavar="CHECKPOINT")
@click.argument("arguments", nargs=-1, metavar="[env.KEY=VALUE]... [-- COMMAND]")
@click.option("--episodes", "-n", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the first reset.")
@click.option("--env", "env_id", default="", metavar="ID", help="Another environment with the same spaces.")
@click.option(
    "--runner", default="", metavar="RUNNER/ALGO", help="What it is of, if no run of yours saved it."
)
@click.option("--python", metavar="PATH", help="An interpreter to use instead of the runner's own.")
@click.option("--checkout", default="", metavar="PATH", help="Where the runner's scripts lie (cleanrl).")
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
    episodes: int,
    seed: int,
    env_id: str,
    runner: str,
    python: str | None,
    checkout: str,
    trusting: bool,
    name: str,
    tags: tuple[str, ...],
    detach: bool,
    dry_run: bool,
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
    plan = evaluating.plan(
        root,
        known,
        episodes=episodes,
        seed=seed,
        env_id=env_id,
        env_arguments=_env_arguments(arguments) if arguments else None,
        runner=chosen,
        algorithm=algorithm,
        checkout=str(Path(checkout).absolute()) if checkout else "",
        python=str(Path(python).absolute()) if python else None,
        command=options.rest(ctx),
    )
    if dry_run or not plan.ok:
        write_checks(plan.checks)
        if plan.command:
            sys.stdout.write(shlex.join(plan.command) + "\n")
        return 0 if plan.ok else UsageError.exit_code
    note(f"mosaic: $ {shlex.join(plan.command)}")
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
