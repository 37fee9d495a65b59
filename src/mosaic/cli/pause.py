"""`mosaic pause RUN` and `mosaic unpause RUN`."""

from __future__ import annotations

import click

from mosaic.app import reading
from mosaic.cli import options
from mosaic.errors import UsageError
from mosaic.protocol.runs import ENDED

__all__ = ["pause_command", "unpause_command"]


@click.command("pause")
@options.run_argument
def pause_command(*, run: str) -> None:
    """Pause a run where it stands.

    \b
    Example:
      mosaic pause last
    """
    _order(run, "pause")


@click.command("unpause")
@options.run_argument
def unpause_command(*, run: str) -> None:
    """Let a paused run go on.

    \b
    Example:
      mosaic unpause last
    """
    _order(run, "unpause")


def _order(run: str, verb: str) -> None:
    root, row = options.find(run)
    if row.state in ENDED:
        raise UsageError(f"run {row.run_id} has ended ({row.state.value}): there is nothing to {verb}")
    with reading.daemon(root) as client:
        now = client.pause(row.run_id) if verb == "pause" else client.unpause(row.run_id)
    click.echo(f"run {now.run_id} {now.state.value}: {now.reason}")
