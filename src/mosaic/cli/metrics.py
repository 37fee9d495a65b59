"""`mosaic metrics RUN`: what the run logged, under its source's names and ours."""

from __future__ import annotations

import difflib
import sys
from typing import TYPE_CHECKING

import click

from mosaic.app import series
from mosaic.cli import options
from mosaic.cli.output import cells, note, write_json_lines
from mosaic.cli.table import Column, render
from mosaic.errors import UsageError
from mosaic.text import count, number

if TYPE_CHECKING:
    from mosaic.protocol.rows import MetricRow

__all__ = ["metrics_command"]

_COLUMNS = (
    Column("NAME", flexible=True, least=16),
    Column("CANONICAL", optional=True),
    Column("STEP", right=True),
    Column("VALUE", right=True),
)
_NAMES = (
    Column("NAME", flexible=True, least=16),
    Column("CANONICAL", optional=True),
    Column("VALUES", right=True),
)


@click.command("metrics")
@options.run_argument
@click.option("--name", help="Only this metric, by its own name or ours (return, length, loss/…, sps, lr).")
@click.option("--names", "only_names", is_flag=True, help="Only which metrics there are.")
@options.role_option("With --name return or length: the episodes' own, of this role alone.")
@options.json_option
@click.option("-n", "most", type=click.IntRange(min=1), help="Only the last N.")
@options.wait_option
def metrics_command(
    *,
    run: str,
    name: str | None,
    only_names: bool,
    role: str | None,
    as_json: bool,
    most: int | None,
    wait_secs: float,
) -> None:
    """List the metrics a run logged.

    \b
    Example:
      mosaic metrics last --names
      mosaic metrics last --name return --json
    """
    root, row = options.find(run)
    if only_names:
        found = options.ask(root, row, lambda reader: reader.metric_names(), wait_secs=wait_secs)
        _write_names(found, as_json=as_json)
        return
    names, metrics = options.ask(
        root,
        row,
        lambda reader: (reader.metric_names(), series.metrics(reader, name, role=role)),
        wait_secs=wait_secs,
    )
    if name is not None and not metrics:
        raise UsageError(_no_such(row.run_id, name, [source for source, _, _ in names]))
    shown = metrics[-most:] if most else metrics
    if as_json:
        write_json_lines(shown)
        return
    if not shown:
        note(f"Run {row.run_id} ({row.state.value}) has logged no metric. Its returns: mosaic episodes {run}")
        return
    sys.stdout.write("\n".join(render(_COLUMNS, [_texts(m) for m in shown], cells=cells())) + "\n")


def _write_names(found: list[tuple[str, str | None, int]], *, as_json: bool) -> None:
    if as_json:
        write_json_lines({"name": name, "canonical": ours, "values": n} for name, ours, n in found)
        return
    texts = [[name, ours or "-", count(n)] for name, ours, n in found]
    sys.stdout.write("\n".join(render(_NAMES, texts, cells=cells())) + "\n")


def _no_such(run_id: str, name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    there = ", ".join(names[:12]) or "none"
    return f"run {run_id} logged no metric {name!r}.{hint} It logged: {there}."


def _texts(metric: MetricRow) -> list[str]:
    return [
        metric.name,
        metric.canonical or "-",
        "-" if metric.step is None else str(metric.step),
        number(metric.value),
    ]
