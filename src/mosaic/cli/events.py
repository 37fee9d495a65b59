"""`mosaic events RUN`: decisions, beliefs, configs, artifacts, logs, and events of kinds nobody knows yet."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mosaic.app import following
from mosaic.cli import options
from mosaic.cli.output import cells, note, plain
from mosaic.cli.table import Column, render
from mosaic.errors import UsageError
from mosaic.store.eventpage import refuse_unknown
from mosaic.store.kinds import LISTED
from mosaic.text import count, in_json, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunRow
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
_SHOWN = 1000  # rows of a table that names no number
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
@click.option(
    "-n",
    "most",
    type=click.IntRange(min=1),
    help=f"Only the last N. A table has {_SHOWN} without it, JSON all.",
)
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
    asked = _Asked(
        list(dict.fromkeys(kinds)) or None, None if episode is None else options.episode_key(episode), step
    )
    if follow:
        _follow(root, row, asked, as_json=as_json, most=most, wait_secs=wait_secs)
        return
    options.ask(root, row, lambda reader: _check(reader, row.run_id, asked), wait_secs=wait_secs)
    if as_json and most is None:
        from mosaic.store.reader import StoreReader

        with StoreReader(root.run(row.run_id)) as reader:
            _write_json(reader.each_event(asked.kinds, episode=asked.episode, step=asked.step))
    elif not _write_last(root, row, asked, as_json=as_json, most=most, wait_secs=wait_secs) and not as_json:
        note(f"Run {row.run_id} ({row.state.value}) has recorded no such event.")


class _Asked(NamedTuple):
    """Which events."""

    kinds: list[str] | None
    episode: int | str | None
    step: int | None


def _follow(
    root: DataRoot, row: RunRow, asked: _Asked, *, as_json: bool, most: int | None, wait_secs: float
) -> None:
    """What there is, then what comes. A kind that nobody has seen yet may still come."""
    since = 0
    begun = root.run(row.run_id).store.exists()  # a run that has only just begun may have none
    if begun and not (as_json and most is None):
        since = _write_last(root, row, asked, as_json=as_json, most=most, wait_secs=wait_secs)
    more = following.events(root, row.run_id, kinds=asked.kinds, since_seq=since, ingest_secs=wait_secs)
    for event in more:
        (_write_json if as_json else _write_line)([event])
        sys.stdout.flush()


def _write_last(
    root: DataRoot, row: RunRow, asked: _Asked, *, as_json: bool, most: int | None, wait_secs: float
) -> int:
    """Write the last ones, and say when there are more. The number of the very last, 0 when there is none."""
    found, there = options.ask(root, row, lambda reader: _last(reader, asked, most), wait_secs=wait_secs)
    if as_json:
        _write_json(found)
    elif found:
        _write_table(found)
    if there > len(found):
        note(f"The last {count(len(found))} of {count(there)} events. -n N shows more, --json all of them.")
    return found[-1].seq if found else 0


def _check(reader: StoreReader, run_id: str, asked: _Asked) -> None:
    """Refuse what cannot be listed before anything is written."""
    reader.events(asked.kinds, episode=asked.episode, step=asked.step, limit=1)
    refuse_unknown(reader, run_id, asked.kinds or ())


def _last(reader: StoreReader, asked: _Asked, most: int | None) -> tuple[list[Stored], int]:
    """The last ones, and how many there are; as many as were asked for are all."""
    limit = _SHOWN if most is None else most
    found = reader.events(asked.kinds, episode=asked.episode, step=asked.step, limit=limit, newest=True)
    if most is not None or len(found) < limit:
        return found, len(found)
    return found, reader.count_events(asked.kinds, episode=asked.episode, step=asked.step)


def _write_json(found: Iterable[Stored]) -> None:
    # What a worker wrote must not steer a terminal; in a pipe text stays as readable as it was.
    ascii_only = sys.stdout.isatty()
    for event in found:
        line = {**json.loads(event.data), "seq": event.seq}
        try:
            # Not by msgspec: an integer may be longer than 64 bits.
            text = json.dumps(line, ensure_ascii=ascii_only, separators=(",", ":"), allow_nan=False)
        except ValueError:  # few hold a number that is not finite, so few are walked to name it
            text = json.dumps(plain(line), ensure_ascii=ascii_only, separators=(",", ":"))
        sys.stdout.write(text + "\n")


def _write_table(found: Iterable[Stored]) -> None:
    sys.stdout.write("\n".join(render(_COLUMNS, [_texts(event) for event in found], cells=cells())) + "\n")


def _write_line(found: Iterable[Stored]) -> None:
    sys.stdout.write("\n".join(visible("  ".join(_texts(event))) for event in found) + "\n")


def _texts(event: Stored) -> list[str]:
    fields: dict[str, Any] = json.loads(event.data)
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
