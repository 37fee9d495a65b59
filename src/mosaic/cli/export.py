"""`mosaic export RUN…`: a run's tables for other programs, or runs as one Minari dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mosaic.cli import options
from mosaic.cli.output import note
from mosaic.cli.progress import bar, phases
from mosaic.exporting.tables import TABLES

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunRow
    from mosaic.store.reader import StoreReader

__all__ = ["export_command"]

_MINARI = "minari"


@click.command("export")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--format",
    "kind",
    required=True,
    type=click.Choice(["csv", "jsonl", "parquet", "tensorboard", _MINARI]),
    help="Which form.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A folder, or one file like steps.csv.")
@click.option("--table", type=click.Choice(TABLES), help="Only this table.")
@click.option("--force", is_flag=True, help="Replace what is there already.")
@click.option("--dataset", metavar="ID", help="minari: the dataset's id, like mosaic/cartpole/first-v0.")
@click.option(
    "--episode", "-e", "episodes", multiple=True, metavar="N", help="minari: an index or id; may be repeated."
)
@options.role_option("minari: only episodes played for this.")
@click.option("--skip", is_flag=True, help="minari: leave out episodes that do not replay exactly.")
@click.option(
    "--allow-import", "allowed", multiple=True, metavar="MODULE", help="minari: a module you trust."
)
@click.option("--python", metavar="PATH", help="minari: a Python that has minari, h5py and pillow.")
@click.option("--install", is_flag=True, help="minari: make an environment with minari when there is none.")
@options.wait_option
def export_command(
    *,
    runs: tuple[str, ...],
    kind: str,
    output: Path | None,
    table: str | None,
    force: bool,
    wait_secs: float,
    **of_minari: Any,
) -> None:
    """Write a run's data as CSV, JSON lines, Parquet or TensorBoard files, or runs as a Minari dataset.

    A Minari dataset holds episodes that were simulated again exactly: observations with the reset's own,
    executed actions, rewards, and which steps somebody corrected.

    \b
    Example:
      mosaic export last --format csv -o results
      mosaic export last --format parquet --table steps -o steps.parquet
      mosaic export last --format minari --dataset mosaic/cartpole/first-v0
    """
    found = [options.find(run) for run in runs]
    if kind == _MINARI:
        if table is not None:
            raise click.UsageError("--table is for csv, jsonl and parquet: a Minari dataset is one thing")
        _minari(found, output, force=force, wait_secs=wait_secs, **of_minari)
        return
    given = next((name for name, value in of_minari.items() if value), None)
    if given is not None:
        flag = {"episodes": "episode", "allowed": "allow-import"}.get(given, given)
        raise click.UsageError(f"--{flag} is for --format minari")
    if len(found) > 1:
        raise click.UsageError(f"--format {kind} takes one RUN; only minari takes several")
    _tables(*found[0], kind, output, table=table, force=force, wait_secs=wait_secs)


def _tables(
    root: DataRoot,
    row: RunRow,
    kind: str,
    output: Path | None,
    *,
    table: str | None,
    force: bool,
    wait_secs: float,
) -> None:
    from mosaic.exporting.formats import export

    target = output if output is not None else Path(f"{row.run_id}-{kind}")

    def question(reader: StoreReader) -> list[Path]:
        return export(reader, kind, target, table=table, force=force)

    for path in options.ask(root, row, question, wait_secs=wait_secs):
        click.echo(str(path))


def _minari(
    found: list[tuple[DataRoot, RunRow]],
    output: Path | None,
    *,
    force: bool,
    wait_secs: float,
    dataset: str | None,
    episodes: tuple[str, ...],
    role: str | None,
    skip: bool,
    allowed: tuple[str, ...],
    python: str | None,
    install: bool,
) -> None:
    from mosaic.exporting.minari import Chosen, check_id, export_minari
    from mosaic.exporting.minari_python import interpreter

    if dataset is not None:
        check_id(dataset)
    for root, row in found:
        options.ask(root, row, lambda reader: reader.summary(), wait_secs=wait_secs)
    root, first = found[0]
    with phases("minari") as told:
        writer = interpreter(root, python=python, install=told if install else None)
    keys = tuple(options.episode_key(text) for text in episodes)
    with bar("replaying and writing") as progress:
        written = export_minari(
            [home.run(row.run_id) for home, row in found],
            Chosen(episodes=keys, role=role, allowed=allowed, skip=skip),
            python=writer,
            dataset_id=dataset,
            name=first.name or first.run_id,
            into=output,
            force=force,
            progress=progress,
        )
    for left in written.left:
        note(f"mosaic: left out: episode {left.episode} of run {left.run_id}: {left.why}")
    for text in written.notes:
        note(f"mosaic: {text}")
    note(
        f"{written.id}: {written.episodes:,} episodes, {written.steps:,} steps, "
        f"{written.interventions:,} of them corrected; all replayed exactly and read back"
    )
    click.echo(str(written.path))
