"""`mosaic unpack FILE`: a packed run becomes a run here."""

from __future__ import annotations

from pathlib import Path

import click

from mosaic.cli.output import note
from mosaic.paths import data_root
from mosaic.settings import load

__all__ = ["unpack_command"]


@click.command("unpack")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--max-gib",
    type=click.FloatRange(min=0, min_open=True),
    help="What it may become, in GiB. Without it: a thousand times the file, at least 4.",
)
def unpack_command(*, file: Path, max_gib: float | None) -> None:
    """Bring a packed run in.

    Nothing in the file is trusted or executed, and it may not become more than --max-gib.

    \b
    Example:
      mosaic unpack first-try.mosaic.tar.zst
    """
    from mosaic.exporting.unpack import unpack

    root = data_root()
    folder, new = unpack(
        file,
        root,
        max_bytes=None if max_gib is None else int(max_gib * (1 << 30)),
        reserve_bytes=load(root).disk_reserve_mib << 20,
    )
    if not new:
        note(f"run {folder.run_id} is here already, and it is the same")
    click.echo(folder.run_id)
