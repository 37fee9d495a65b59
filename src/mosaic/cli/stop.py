"""`mosaic stop RUN`: stop a run, wait until its whole process tree is gone, and report how it ended."""

from __future__ import annotations

import time

import click

from mosaic.app import reading, run_index
from mosaic.cli import options
from mosaic.cli.output import note
from mosaic.errors import MosaicError
from mosaic.protocol.runs import ENDED
from mosaic.runs.folder import is_over

__all__ = ["stop_command"]

_POLL_SECS = 0.05


@click.command("stop")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--wait",
    "wait_secs",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="Seconds to wait until it is gone.",
)
def stop_command(*, runs: tuple[str, ...], wait_secs: float) -> None:
    """Stop a run and everything it started.

    It gets SIGINT, then SIGTERM, then SIGKILL, with time in between to save its work.

    \b
    Example:
      mosaic stop last
    """
    root = options.root()
    rows = [run_index.find(root, run) for run in runs]
    going = [row for row in rows if row.state not in ENDED]
    for row in rows:
        if row.state in ENDED:
            note(f"run {row.run_id} has ended already: {row.state.value}, {row.reason}")
    if going:
        with reading.daemon(root) as client:
            for row in going:
                client.stop(row.run_id)
    until = time.monotonic() + wait_secs
    for row in going:
        while not is_over(root.run(row.run_id), (now := run_index.row_of(root, row.run_id)).state):
            if time.monotonic() > until:
                raise MosaicError(
                    f"run {row.run_id} is still {now.state.value} after {wait_secs:g} s: {now.reason}. "
                    f"Look again with: mosaic show {row.run_id}"
                )
            time.sleep(_POLL_SECS)
        click.echo(f"run {row.run_id} {now.state.value}: {now.reason}")
