"""`mosaic run -- CMD…`: submit a command and stay with it. The run belongs to the daemon, not to us.

Watching is reading files: when the daemon dies, or this process does, the run goes on.
"""

from __future__ import annotations

import os
import sys

import click

from mosaic.app.submitting import make_spec, parse_tag, submit
from mosaic.cli.output import note
from mosaic.paths import data_root

__all__ = ["run_command"]


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--name", default="", help="A name to find the run by.")
@click.option("--tag", "tags", multiple=True, metavar="KEY=VALUE", help="A label; may be repeated.")
@click.option("--detach", "-d", is_flag=True, help="Do not wait: print the run's id and return.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD...")
def run_command(*, name: str, tags: tuple[str, ...], detach: bool, command: tuple[str, ...]) -> int:
    """Run a command and record everything it does.

    The command sees your environment and the current folder. Its output appears here, and this exits with
    its exit code. Ctrl-C stops the run cleanly. Closing the terminal leaves it running.

    \b
    Example:
      mosaic run -- python train.py --seed 1
      mosaic run --name first --tag algo=ppo --detach -- python train.py
    """
    if command and command[0].startswith("-"):
        raise click.UsageError(f"there is no option {command[0]!r}. The command comes after '--'.")
    spec = make_spec(command, name=name, tags=dict(parse_tag(tag) for tag in tags))
    left = submit(data_root(), spec, os.environ)
    if left:
        note(f"mosaic: not passed on, because they are not UTF-8: {', '.join(left)}")
    if detach:
        sys.stdout.write(f"{spec.run_id}\n")
        return 0
    from mosaic.cli.attend import Attendance

    return Attendance(data_root(), spec.run_id, say=lambda text: note(f"mosaic: {text}")).stay()
