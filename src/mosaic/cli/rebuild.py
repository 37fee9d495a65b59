"""`mosaic rebuild RUN`: the store made anew from the journal, by the daemon, which owns it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from mosaic.app import reading
from mosaic.cli import options
from mosaic.cli.output import write_json
from mosaic.cli.progress import bar
from mosaic.text import count, size, span, visible

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.protocol.rows import StoreSummary

__all__ = ["rebuild_command"]


@click.command("rebuild")
@options.run_argument
@options.json_option
def rebuild_command(*, run: str, as_json: bool) -> None:
    """Build the store of a run anew from its journal.

    \b
    Example:
      mosaic rebuild last
    """
    root, row = options.find(run)
    summary, secs = _rebuild(root, row.run_id)
    if as_json:
        write_json(summary)
        return
    sys.stdout.write(
        f"run {row.run_id}: {count(summary.store_seq)} events, {count(summary.episodes)} episodes, "
        f"{count(summary.steps)} steps, {count(summary.metrics)} metrics in {span(secs)}\n"
    )
    for text in summary.warnings:
        sys.stdout.write(f"warning: {visible(text)}\n")


def _rebuild(root: DataRoot, run_id: str) -> tuple[StoreSummary, float]:
    started = time.monotonic()
    journal = sum(path.stat().st_size for path in root.run(run_id).journal.iterdir())
    with bar(f"reading {size(journal)} of journal"), reading.daemon(root) as client:
        return client.rebuild(run_id), time.monotonic() - started
