"""`mosaic steps RUN EPISODE`: one line per step."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mosaic.cli import options
from mosaic.cli.output import cells, note, write_json_lines
from mosaic.cli.table import Column, render
from mosaic.exporting.tables import plain_arrays
from mosaic.text import in_json, number

if TYPE_CHECKING:
    from mosaic.protocol.rows import StepRow
    from mosaic.store.reader import StoreReader

__all__ = ["steps_command"]

_SMALL = 256  # characters of base64

_COLUMNS = (
    Column("STEP", right=True),
    Column("ACTION", flexible=True),
    Column("REWARD", right=True),
    Column("END"),
    Column("OBSERVATION", flexible=True, least=12),
)


@click.command("steps")
@options.run_argument
@click.argument("episode", metavar="EPISODE")
@options.json_option
@click.option("--first", type=click.IntRange(min=0), default=0, show_default=True, help="Begin at this step.")
@click.option("-n", "most", type=click.IntRange(min=1), help="At most N steps.")
@options.wait_option
def steps_command(
    *, run: str, episode: str, as_json: bool, first: int, most: int | None, wait_secs: float
) -> None:
    """List the steps of one episode, by its index or its id.

    \b
    Example:
      mosaic steps last 0
      mosaic steps my-run 12 --json
    """
    root, row = options.find(run)

    def question(reader: StoreReader) -> list[StepRow]:
        return reader.steps(reader.episode(options.episode_key(episode)).index, first=first, limit=most)

    steps = options.ask(root, row, question, wait_secs=wait_secs)
    if as_json:
        write_json_lines(steps)
        return
    if not steps:
        note(f"Episode {episode} has no step from {first} on.")
        return
    sys.stdout.write("\n".join(render(_COLUMNS, [_texts(s) for s in steps], cells=cells())) + "\n")


def _texts(step: StepRow) -> list[str]:
    ends = [word for word, holds in (("terminated", step.terminated), ("truncated", step.truncated)) if holds]
    return [
        str(step.step),
        in_json(_written_out(step.action)),
        number(step.reward),
        "+".join(ends) or "-",
        in_json(_written_out(step.obs), cells=200),
    ]


def _written_out(value: Any) -> Any:
    """Small arrays as lists; large ones stay what they are, and are shown by their shape."""
    if isinstance(value, dict) and "b64" in value and len(value["b64"]) > _SMALL:
        return value
    return plain_arrays(value)
