"""`mosaic pack RUN`: a whole ended run as one file."""

from __future__ import annotations

from pathlib import Path

import click

from mosaic.app import reading
from mosaic.cli import options
from mosaic.cli.output import note
from mosaic.cli.progress import Passing, bar
from mosaic.errors import MosaicError, UsageError
from mosaic.protocol.runs import ENDED
from mosaic.text import size

__all__ = ["pack_command"]


@click.command("pack")
@options.run_argument
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The file to make. [default: RUN.mosaic.tar.zst]"
)
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
@options.wait_option
def pack_command(*, run: str, output: Path | None, force: bool, wait_secs: float) -> None:
    """Put a whole run into one file.

    \b
    Example:
      mosaic pack last -o first-try.mosaic.tar.zst
    """
    from mosaic.exporting.archive import SUFFIX
    from mosaic.exporting.pack import pack

    root, row = options.find(run)
    if row.state not in ENDED:
        raise UsageError(
            f"run {row.run_id} is {row.state.value}. Pack it when it has ended, or stop it first."
        )
    with Passing() as passing:
        complete = reading.wait_ingested(root, row.run_id, timeout_secs=wait_secs, progress=passing)
    if not complete:
        raise MosaicError(
            f"run {row.run_id} is still being ingested. Try again later, or with a longer --wait."
        )
    target = output if output is not None else Path(f"{row.run_id}{SUFFIX}")
    with bar(f"packing {row.run_id}") as told:
        left_out = pack(root.run(row.run_id), target, force=force, on_file=told)
    for path in left_out:
        note(f"left out, because it is no regular file: {path}")
    click.echo(f"{target} ({size(target.stat().st_size)})")
