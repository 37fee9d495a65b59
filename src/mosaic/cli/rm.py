"""`mosaic rm RUN…`: delete ended and unreadable runs, folder and all. Asks first."""

from __future__ import annotations

import sys

import click

from mosaic.app import reading, run_index
from mosaic.cli import options
from mosaic.errors import UsageError
from mosaic.protocol.runs import DELETABLE
from mosaic.text import count, visible

__all__ = ["rm_command"]


@click.command("rm")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def rm_command(*, runs: tuple[str, ...], yes: bool) -> int:
    """Delete runs for good.

    \b
    Example:
      mosaic rm first second
      mosaic rm last --yes
    """
    root = options.root()
    rows = list({(row := run_index.find(root, run)).run_id: row for run in runs}.values())
    for row in rows:
        if row.state not in DELETABLE:
            raise UsageError(
                f"run {row.run_id} is {row.state.value}. Stop it first: mosaic stop {row.run_id}"
            )
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("this deletes data and nobody is there to ask. Add --yes if you mean it.")
        for row in rows:
            name = f" {visible(row.name)}" if row.name else ""
            click.echo(
                f"{row.run_id}{name}: {row.state.value}, "
                f"{count(row.episodes)} episodes, {count(row.steps)} steps"
            )
        if not click.confirm(
            f"Delete {'this run' if len(rows) == 1 else f'these {len(rows)} runs'} for good?"
        ):
            return 1
    with reading.daemon(root) as client:
        for row in rows:
            client.delete(row.run_id)
            click.echo(f"deleted {row.run_id}")
    return 0
