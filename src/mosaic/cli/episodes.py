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
    from mosaic.protocol.rows import EpisodeRow, StoreSummary
    from mosaic.store.reader import StoreReader

__all__ = ["episodes_command"]

_COLUMNS = (
    Column("INDEX", right=True),
    Column("STEPS", right=True),
    Column("RETURN", right=True),
    Column("OUTCOME"),
    Column("ROLE"),
    Column("SEED", right=True, optional=True),
    Column("TIME", right=True, optional=True),
    Column("ENV", right=True, optional=True),
    Column("AGENT", flexible=True, optional=True),
    Column("EPISODE", flexible=True, optional=True, least=12),
)


@click.command("episodes")
@options.run_argument
@options.role_option("Only those played for this; unknown: nobody said what for.")
@options.json_option
@click.option("-n", "most", type=click.IntRange(min=1), help="Only the last N.")
@options.wait_option
def episodes_command(
    *, run: str, role: str | None, as_json: bool, most: int | None, wait_secs: float
) -> None:
    """List the episodes of a run.

    \b
    Example:
      mosaic episodes last -n 10
      mosaic episodes last --role eval
      mosaic episodes my-run --json
    """
    root, row = options.find(run)

    def question(reader: StoreReader) -> tuple[StoreSummary, list[EpisodeRow]]:
        summary = reader.summary()
        first = max(0, summary.episodes - most) if most and role is None else 0
        found = reader.episodes(first_index=first, role=role)
        return summary, found[-most:] if most else found

    summary, episodes = options.ask(root, row, question, wait_secs=wait_secs)
    if as_json:
        write_json_lines(episodes)
        return
    if not episodes:
        note(f"Run {row.run_id} ({row.state.value}) has recorded no episode{_of_role(role, summary)}.")
        return
    shown = [at for at, column in enumerate(_COLUMNS) if column.title != "ROLE" or _has_roles(summary)]
    texts = [_texts(episode) for episode in episodes]
    lines = render(
        [_COLUMNS[at] for at in shown], [[text[at] for at in shown] for text in texts], cells=cells()
    )
    sys.stdout.write("\n".join(lines) + "\n")


def _has_roles(summary: StoreSummary) -> bool:
    """Whether the run's episodes were played for more than one thing."""
    counted = (summary.train_episodes, summary.eval_episodes)
    return sum(map(bool, (*counted, summary.episodes - sum(counted)))) > 1


def _of_role(role: str | None, summary: StoreSummary) -> str:
    if role is None or not summary.episodes:
        return ""
    unknown = summary.episodes - summary.train_episodes - summary.eval_episodes
    there = (
        f"{summary.train_episodes} of training, {summary.eval_episodes} of evaluation, {unknown} of unknown"
    )
    return f" of the role {role}; there are {there} role"


def _texts(episode: EpisodeRow) -> list[str]:
    took = None
    if episode.t_start is not None and episode.t_end is not None:
        took = episode.t_end - episode.t_start
    return [
        str(episode.index),
        count(episode.steps),
        number(episode.return_),
        episode.outcome or "going on",
        episode.role or "-",
        "-" if episode.seed is None else str(episode.seed),
        span(took),
        str(episode.env_index),
        episode.agent_id or "-",
        episode.episode_id,
    ]
