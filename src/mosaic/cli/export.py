"""`mosaic export RUN`: a run's tables for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mosaic.cli import options
from mosaic.exporting.tables import TABLES

if TYPE_CHECKING:
    from mosaic.store.reader import StoreReader

__all__ = ["export_command"]


@click.command("export")
@options.run_argument
@click.option(
    "--format",
    "kind",
    required=True,
    type=click.Choice(["csv", "jsonl", "parquet", "tensorboard"]),
    help="Which form.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A folder, or one file like steps.csv.")
@click.option("--table", type=click.Choice(TABLES), help="Only this table.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@options.wait_option
def export_command(
    *, run: str, kind: str, output: Path | None, table: str | None, force: bool, wait_secs: float
) -> None:
    """Write a run's data as CSV, JSON lines, Parquet or TensorBoard files.

    \b
    Example:
      mosaic export last --format csv -o results
      mosaic export last --format parquet --table steps -o steps.parquet
    """
    from mosaic.exporting.formats import export

    root, row = options.find(run)
    target = output if output is not None else Path(f"{row.run_id}-{kind}")

    def question(reader: StoreReader) -> list[Path]:
        return export(reader, kind, target, table=table, force=force)

    for path in options.ask(root, row, question, wait_secs=wait_secs):
        click.echo(str(path))
