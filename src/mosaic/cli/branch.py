"""`mosaic branch RUN`: go on from a step of a recorded episode, as a new run that knows its parent."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mosaic.app.submitting import parse_tag
from mosaic.cli import options
from mosaic.cli.output import note
from mosaic.cli.play import attend, fps_option, parameters_of, seats_of, shared_options
from mosaic_worker.common.hands import PERSON

__all__ = ["branch_command"]

_RANDOM = "random"


@click.command("branch")
@options.run_argument
@click.argument("arguments", nargs=-1, metavar="[op.KEY=VALUE]...")
@click.option("--episode", "-e", required=True, metavar="N", help="The episode, by index or id.")
@click.option(
    "--step", required=True, type=click.IntRange(min=0), help="How many steps are kept as recorded."
)
@click.option("--operator", "-o", metavar="WHO", help="Who goes on; random when nobody is named.")
@click.option(
    "--seat", "seats", multiple=True, metavar="AGENT=WHO", help="Who decides for one agent; may be repeated."
)
@click.option("--policy", metavar="random|FILE",
              help="Earlier spelling of --operator random, or actions:FILE.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="The operators' seed.")
@fps_option
@shared_options
@click.option("--detach", "-d", is_flag=True, help="Do not wait: print the new run's id and return.")
@click.option("--allow-import", "allowed", multiple=True, metavar="MODULE", help="A module you trust.")
@options.wait_option
def branch_command(
    *,
    run: str,
    arguments: tuple[str, ...],
    episode: str,
    step: int,
    operator: str | None,
    seats: tuple[str, ...],
    policy: str | None,
    seed: int,
    fps: float | None,
    max_steps: int | None,
    on_failure: str,
    deadline_secs: float,
    python: str | None,
    name: str,
    tags: tuple[str, ...],
    detach: bool,
    allowed: tuple[str, ...],
    wait_secs: float,
) -> int:
    """Continue a recorded episode from one of its steps, as a new run.

    The new run plays the recorded actions up to that step, checks that everything comes out as recorded, and
    then lets anybody go on whom `mosaic play` knows: random, noop, person (you), actions:FILE.json,
    python:FILE.py, cmd:PROGRAM…, or a trained policy (RUN, RUN:best, RUN@STEP or a checkpoint's file). All of
    them are ready before anything is played. `--max-steps` counts the steps after the branch, 10,000 by
    default.

    \b
    Example:
      mosaic branch last --episode 7 --step 40
      mosaic branch last --episode 7 --step 40 --operator other-run:best
      mosaic branch last -e 7 --step 40 --operator actions:path.json
      mosaic branch match -e 2 --step 3 --operator random --seat player_1=python:mind.py
    """
    from mosaic.app.branching import branch

    if operator is None and not seats and policy is None:
        operator = _RANDOM
    if policy is not None:
        if operator is not None or seats:
            raise click.UsageError("--policy is an earlier spelling of --operator: leave it out")
        operator = _RANDOM if policy == _RANDOM else f"actions:{_file(policy)}"
    parameters = parameters_of(arguments)
    if any(key.startswith("env.") for key in parameters):
        raise click.UsageError("the environment is the recorded one: leave env.KEY=VALUE out")
    root, row = options.find(run)
    run_id = branch(
        root,
        row.run_id,
        options.episode_key(episode),
        step,
        seats=seats_of(operator, seats),
        ask=lambda question: options.ask(root, row, question, wait_secs=wait_secs),
        say=lambda text: note(f"mosaic: {text}"),
        parameters=parameters,
        seed=seed,
        max_steps=max_steps,
        fps=fps,
        on_failure=on_failure,
        deadline_secs=deadline_secs,
        name=name,
        tags=dict(parse_tag(tag) for tag in tags),
        allowed=allowed,
        python=python,
    )
    if detach:
        sys.stdout.write(f"{run_id}\n")
        return 0
    return attend(root, run_id, person=PERSON in (operator, *(word.partition("=")[2] for word in seats)))


def _file(policy: str) -> Path:
    path = Path(policy)
    if not path.is_file():
        raise click.UsageError(f"the policy is 'random' or a file; there is no file {path}")
    return path
