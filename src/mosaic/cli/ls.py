"""`mosaic ls`: the runs, newest first. Reads files only; starts no daemon."""

from __future__ import annotations

import sys
import time

import click

from mosaic.app import reading, run_index
from mosaic.app.submitting import parse_tag
from mosaic.cli import options
from mosaic.cli.output import cells, note, paint_state, write_json_lines
from mosaic.cli.table import Column, render
from mosaic.protocol.runs import RunRow, RunState, in_order
from mosaic.text import age, count, number_or_dash, speed

__all__ = ["ls_command"]

_SHOWN = 20
_SHORTEST = 8
_MARK = "!"
_COLUMNS = (
    Column("RUN"),
    Column("NAME", flexible=True, least=10),
    Column("STATE"),
    Column("AGE", right=True),
    Column("EPISODES", right=True),
    Column("RETURN", right=True),
    Column("STEPS/S", right=True, optional=True),
    Column("STEPS", right=True, optional=True),
    Column("WHAT", flexible=True, optional=True, least=12),
)


@click.command("ls")
@options.json_option
@click.option("--all", "-a", "everything", is_flag=True, help="All of them, not just the newest.")
@click.option(
    "-n", "most", type=click.IntRange(min=1), default=_SHOWN, show_default=True, help="How many at most."
)
@click.option(
    "--state", type=click.Choice([state.value for state in RunState]), help="Only runs in this state."
)
@click.option(
    "--tag", "tags", multiple=True, metavar="KEY=VALUE", help="Only runs with this tag; may be repeated."
)
def ls_command(
    *, as_json: bool, everything: bool, most: int, state: str | None, tags: tuple[str, ...]
) -> None:
    """List the runs.

    \b
    Example:
      mosaic ls --state running
      mosaic ls --json --all
    """
    wanted = dict(parse_tag(tag) for tag in tags)
    root = options.root()
    reading.refresh_all(root)
    every = run_index.rows(root)
    rows = [
        row
        for row in every
        if (state is None or row.state.value == state) and wanted.items() <= row.tags.items()
    ]
    shown = rows if everything else rows[:most]
    if as_json:
        write_json_lines(map(in_order, shown))
        return
    if not rows:
        note(
            "No run matches; all of them: mosaic ls --all"
            if every
            else "No runs yet. Start one with: mosaic run -- python train.py"
        )
        return
    now = time.time()
    room = cells()
    length = None if room is None else _telling([row.run_id for row in every])
    lines = render(_COLUMNS, [_texts(row, now, length) for row in shown], cells=room, style=_style)
    sys.stdout.write("\n".join(lines) + "\n")
    if any(row.warned for row in shown):
        note(f"{_MARK} marks runs with warnings; what they are: mosaic show RUN")
    if len(shown) < len(rows):
        note(f"{len(rows) - len(shown)} older ones are not shown; all of them: mosaic ls --all")


def _telling(ids: list[str]) -> int:
    """How much of an id tells it from all others: on a terminal the rest only takes room."""
    length = _SHORTEST
    while len({run_id[:length] for run_id in ids}) < len(ids):
        length += 1
    return length


def _texts(row: RunRow, now: float, length: int | None) -> list[str]:
    return [
        row.run_id[:length],
        row.name or "-",
        f"{row.state.value} {_MARK}" if row.warned else row.state.value,
        age(row.created, now=now),
        count(row.episodes),
        number_or_dash(row.last_return),
        speed(row.steps_per_sec),
        count(row.steps),
        _what(row),
    ]


def _what(row: RunRow) -> str:
    """What it does: runner, algorithm and environment where there are such, else the command."""
    if not row.algorithm:
        return " ".join(row.command)
    return " ".join([f"{row.runner}/{row.algorithm}", *row.env_ids])


def _style(title: str, text: str, padded: str) -> str:
    return paint_state(RunState(text.removesuffix(f" {_MARK}")), padded) if title == "STATE" else padded
