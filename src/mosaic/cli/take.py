"""`mosaic take RUN`: sit down in a seat of a running session, on this terminal."""

from __future__ import annotations

import sys

import click

from mosaic.cli import options
from mosaic.cli.output import note
from mosaic.errors import UsageError

__all__ = ["take_command"]


@click.command("take")
@options.run_argument
@click.option("--seat", "actor", metavar="AGENT", help="Whose seat, where there are several.")
def take_command(*, run: str, actor: str | None) -> int:
    """Take over a seat of a running session, on this terminal.

    Its operator goes on when you give it back. The episode stays one: what you did instead of the operator is
    marked in the record, step by step. T gives the seat back and takes it again, Esc gives the keyboard back;
    the keys are shown. In the desktop: `mosaic ui RUN`, then T.

    \b
    Example:
      mosaic take last
      mosaic take last --seat player_1
    """
    from mosaic.cli.by_hand import ByHand, is_terminal

    root, row = options.find(run)
    if not is_terminal():
        raise UsageError("a person needs a terminal or a window: type this in a terminal, or open mosaic ui")
    ByHand(root, row.run_id, actor=actor, takes=True).stay()
    note(f"mosaic: you left run {row.run_id}; see: mosaic show {row.run_id}")
    sys.stdout.flush()
    return 0
