"""`mosaic branch RUN`: go on from a step of a recorded episode, as a new run that knows its parent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from mosaic.cli import options
from mosaic.cli.output import note

__all__ = ["branch_command"]


@click.command("branch")
@options.run_argument
@click.option("--episode", "-e", required=True, metavar="N", help="The episode, by index or id.")
@click.option(
    "--step", required=True, type=click.IntRange(min=0), help="How many steps are kept as recorded."
)
@click.option("--policy", default="random", show_default=True, help="'random', or a JSON file with actions.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the random actions.")
@click.option("--max-steps", "most", type=click.IntRange(min=1), default=10_000, show_default=True,
              help="How many random steps at most.")  # fmt: skip
@click.option("--name", default="", help="A name for the new run.")
@click.option("--detach", "-d", is_flag=True, help="Do not wait: print the new run's id and return.")
@click.option("--allow-import", "allowed", multiple=True, metavar="MODULE", help="A module you trust.")
@click.option(
    "--python", type=click.Path(path_type=Path), help="The interpreter to use instead of the recorded one."
)
@options.wait_option
def branch_command(
    *,
    run: str,
    episode: str,
    step: int,
    policy: str,
    seed: int,
    most: int,
    name: str,
    detach: bool,
    allowed: tuple[str, ...],
    python: Path | None,
    wait_secs: float,
) -> int:
    """Continue a recorded episode from one of its steps, as a new run.

    The new run plays the recorded actions up to that step, checks that everything comes out as recorded, and
    continues with random actions or with those of a JSON file: a list with one action for each step.

    \b
    Example:
      mosaic branch last --episode 7 --step 40
      mosaic branch last --episode 7 --step 40 --policy actions.json
    """
    from mosaic.app.branching import branch
    from mosaic.replay.branch import RANDOM

    actions = None if policy == RANDOM else _actions(Path(policy))
    root, row = options.find(run)
    run_id = branch(
        root,
        row.run_id,
        options.episode_key(episode),
        step,
        ask=lambda question: options.ask(root, row, question, wait_secs=wait_secs),
        actions=actions,
        seed=seed,
        most=most,
        name=name,
        allowed=allowed,
        python=str(python) if python is not None else None,
    )
    if detach:
        sys.stdout.write(f"{run_id}\n")
        return 0
    from mosaic.cli.attend import Attendance

    return Attendance(root, run_id, say=lambda text: note(f"mosaic: {text}")).stay()


def _actions(path: Path) -> list[Any]:
    import msgspec

    try:
        found = msgspec.json.decode(path.read_bytes())
    except FileNotFoundError:
        raise click.UsageError(f"the policy is 'random' or a file; there is no file {path}") from None
    except msgspec.DecodeError as error:
        raise click.UsageError(f"{path} does not hold JSON: {error}") from None
    if not isinstance(found, list):
        raise click.UsageError(f"{path} must hold a JSON list with one action for each step")
    return found
