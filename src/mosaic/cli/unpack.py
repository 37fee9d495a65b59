"""`mosaic unpack FILE`: a packed run becomes a run here."""

from __future__ import annotations

from pathlib import Path

import click

from mosaic.cli.output import note
from mosaic.paths import data_root

__all__ = ["unpack_command"]


@click.command("unpack")
@click.argument("file", type=click.Path(path_type=Path))
def unpack_command(*, file: Path) -> None:
    """Bring a packed run in.

    Nothing in the file is trusted or executed.

    \b
    Example:
      mosaic unpack first-try.mosaic.tar.zst
    """
    from mosaic.exporting.unpack import unpack

    folder, new = unpack(file, data_root())
    if not new:
        note(f"run {folder.run_id} is here already, and it is the same")
    click.echo(folder.run_id)
