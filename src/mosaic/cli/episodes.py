"""`mosaic episodes RUN`: one line per episode."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mosaic.cli import options
from mosaic.cli.output import cells, note, write_json_lines
from mosaic.cli.table import Column, render
from mosaic.text import count, number, span

if TYPE_CHECKING:
    from mosaic.protocol.rows import EpisodeRow
    from mosaic.store.reader import StoreReader

__all__ = ["episodes_command"]

_COLUMNS = (
    Column("INDEX", right=True),
    Column("STEPS", right=True),
    Column("RETURN", right=True),
    Column("OUTCOME"),
    Column("SEED", right=True, optional=True),
    Column("TIME", right=True, optional=True),
    Column("ENV", right=True, optional=True),
    Column("AGENT", flexible=True, optional=True),
    Column("EPISODE", flexible=True, optional=True, least=12),
)


@click.command("episodes")
@options.run_argument
@options.json_option
@click.option("-n", "most", type=click.IntRange(min=1), help="Only the last N.")
@options.wait_option
def episodes_command(*, run: str, as_json: bool, most: int | None, wait_secs: float) -> None:
    """List the episodes of a run.

    \b
    Example:
      mosaic episodes last -n 10
      mosaic episodes my-run --json
    """
    root, row = options.find(run)

    def question(reader: StoreReader) -> list[EpisodeRow]:
        first = max(0, reader.summary().episodes - most) if most else 0
        return reader.episodes(first_index=first)

    episodes = options.ask(root, row, question, wait_secs=wait_secs)
    if as_json:
        write_json_lines(episodes)
        return
    if not episodes:
        note(f"Run {row.run_id} ({row.state.value}) has recorded no episode.")
        return
    sys.stdout.write("\n".join(render(_COLUMNS, [_texts(e) for e in episodes], cells=cells())) + "\n")


def _texts(episode: EpisodeRow) -> list[str]:
    took = None
    if episode.t_start is not None and episode.t_end is not None:
        took = episode.t_end - episode.t_start
    return [
        str(episode.index),
        count(episode.steps),
        number(episode.return_),
        episode.outcome or "going on",
        "-" if episode.seed is None else str(episode.seed),
        span(took),
        str(episode.env_index),
        episode.agent_id or "-",
        episode.episode_id,
    ]
