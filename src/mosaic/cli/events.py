"""`mosaic events RUN`: decisions, beliefs, configs, artifacts, logs, and events of kinds nobody knows yet."""

from __future__ import annotations

import difflib
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from mosaic.app import following
from mosaic.cli import options
from mosaic.cli.output import cells, note, plain
from mosaic.cli.table import Column, render
from mosaic.errors import UsageError
from mosaic.store.kinds import KINDS, LISTED
from mosaic.text import in_json, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mosaic.store.eventlog import Stored
    from mosaic.store.reader import StoreReader

__all__ = ["events_command"]

_COLUMNS = (
    Column("SEQ", right=True),
    Column("TIME", optional=True),
    Column("KIND"),
    Column("EPISODE", flexible=True, optional=True, least=12),
    Column("STEP", right=True),
    Column("WHAT", flexible=True, least=24),
)
_SHOWN_APART = ("type", "seq", "t", "episode_id", "step")
_CELLS = 200  # of one value in the table
_LATEST = 1e11  # seconds: the year 5138. Beyond it some C library refuses, and no worker means it


@click.command("events")
@options.run_argument
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    help=f"Only this kind, or these: {', '.join(LISTED)}, or an unknown one.",
)
@click.option("--episode", help="Only those about this episode, by its index or its id.")
@click.option("--step", type=click.IntRange(min=0), help="Only those about this step.")
@options.json_option
@click.option("-n", "most", type=click.IntRange(min=1), help="Only the last N.")
@click.option("-f", "--follow", is_flag=True, help="Go on as more are stored, until the run has ended.")
@options.wait_option
def events_command(
    *,
    run: str,
    kinds: tuple[str, ...],
    episode: str | None,
    step: int | None,
    as_json: bool,
    most: int | None,
    follow: bool,
    wait_secs: float,
) -> None:
    """List what a run recorded besides steps, episodes, metrics and checkpoints.

    \b
    Example:
      mosaic events last --kind decision --episode 7
      mosaic events last --kind log -f
    """
    if follow and (episode is not None or step is not None):
        raise UsageError("--follow goes with --kind only: leave out --episode and --step.")
    root, row = options.find(run)
    wanted = list(dict.fromkeys(kinds)) or None

    def question(reader: StoreReader) -> tuple[list[Stored], list[str]]:
        key = int(episode) if episode is not None and episode.isascii() and episode.isdigit() else episode
        found = reader.events(wanted, episode=key, step=step, limit=most, newest=most is not None)
        return found, reader.kinds()

    found: list[Stored] = []
    there = list(wanted or ())
    if not follow or root.run(row.run_id).store.exists():  # a run that has only just begun may have none
        found, there = options.ask(root, row, question, wait_secs=wait_secs)
    for kind in wanted or ():
        if kind not in KINDS and kind not in there:
            raise UsageError(_no_such(row.run_id, kind, there))
    if as_json:
        _write_json(found)
    elif found:
        _write_table(found)
    elif not follow:
        note(f"Run {row.run_id} ({row.state.value}) has recorded no such event.")
    if follow:
        since = found[-1].seq if found else 0
        more = following.events(root, row.run_id, kinds=wanted, since_seq=since, ingest_secs=wait_secs)
        for event in more:
            (_write_json if as_json else _write_line)([event])
            sys.stdout.flush()


def _no_such(run_id: str, kind: str, there: Sequence[str]) -> str:
    known = sorted({*LISTED, *there})
    near = difflib.get_close_matches(kind, known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"run {run_id} has recorded no {kind!r} event.{hint} There are: {', '.join(known)}."


def _fields(event: Stored) -> dict[str, Any]:
    fields: dict[str, Any] = plain(json.loads(event.data))
    return fields


def _write_json(found: Iterable[Stored]) -> None:
    for event in found:
        # Not by msgspec: an integer may be longer than 64 bits.
        line = {**_fields(event), "seq": event.seq}
        sys.stdout.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def _write_table(found: Iterable[Stored]) -> None:
    sys.stdout.write("\n".join(render(_COLUMNS, [_texts(event) for event in found], cells=cells())) + "\n")


def _write_line(found: Iterable[Stored]) -> None:
    sys.stdout.write("\n".join(visible("  ".join(_texts(event))) for event in found) + "\n")


def _texts(event: Stored) -> list[str]:
    fields = _fields(event)
    said = {name: value for name, value in fields.items() if name not in _SHOWN_APART}
    what = "  ".join(f"{name}={in_json(value, cells=_CELLS)}" for name, value in said.items())
    step = fields.get("step")
    return [
        str(event.seq),
        _clock(fields.get("t")),
        event.kind,
        str(fields.get("episode_id") or "-"),
        "-" if step is None else str(step),
        what or "-",
    ]


def _clock(t: Any) -> str:
    if not isinstance(t, int | float) or not 0 < t < _LATEST:
        return "-"
    return time.strftime("%H:%M:%S", time.localtime(t))
