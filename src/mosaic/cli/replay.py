"""`mosaic replay RUN`: episodes simulated again, compared with the record, and drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mosaic.cli import options
from mosaic.cli.output import cells, note, paint, write_json_lines
from mosaic.cli.progress import bar
from mosaic.cli.showing import showing_of
from mosaic.cli.table import Column, render

if TYPE_CHECKING:
    from mosaic.paths import RunFolder
    from mosaic.replay.verdicts import Verdict

__all__ = ["replay_command"]

_COLUMNS = (
    Column("EPISODE", right=True),
    Column("STEPS", right=True),
    Column("REPLAY"),
    Column("AT", right=True),
    Column("HOW", flexible=True, least=16),
)
_COLOURS = {"exact": "32", "diverged": "31;1", "cannot": "33;1"}


@click.command("replay")
@options.run_argument
@click.option(
    "--episode", "-e", "episodes", multiple=True, metavar="N", help="An index or id; may be repeated."
)
@click.option("--all", "everything", is_flag=True, help="Every episode of the run.")
@click.option("--verify", is_flag=True, help="Only compare with the record, draw nothing (the default).")
@click.option("--from", "first", type=click.IntRange(min=0), default=0, help="The first frame.")
@click.option("--to", "last", type=click.IntRange(min=0), help="The last frame.")
@click.option("--step", type=click.IntRange(min=0), help="Only this frame: --png and --svg are then a file.")
@click.option("--mp4", type=click.Path(path_type=Path, dir_okay=False), help="Write a video.")
@click.option("--gif", type=click.Path(path_type=Path, dir_okay=False), help="Write an animated GIF.")
@click.option("--png", type=click.Path(path_type=Path), help="Write frames into a folder.")
@click.option("--svg", type=click.Path(path_type=Path), help="Write scenes into a folder, to be scaled.")
@click.option("--view", type=click.Choice(["frame", "scene", "text"]),
              help="Frames as drawn, scenes, or text in the terminal. [default: frame, if any]")  # fmt: skip
@click.option("--theme", type=click.Choice(["light", "dark"]), help="The colours of scenes. [default: light]")
@click.option("--fps", type=click.FloatRange(min=0.1, max=240), help="Frames per second.")
@click.option("--allow-import", "allowed", multiple=True, metavar="MODULE", help="A module you trust.")
@click.option(
    "--python", type=click.Path(path_type=Path), help="The interpreter to use instead of the recorded one."
)
@options.json_option
@options.wait_option
def replay_command(
    *,
    run: str,
    episodes: tuple[str, ...],
    everything: bool,
    verify: bool,
    first: int,
    last: int | None,
    step: int | None,
    mp4: Path | None,
    gif: Path | None,
    png: Path | None,
    svg: Path | None,
    view: str | None,
    theme: str | None,
    fps: float | None,
    allowed: tuple[str, ...],
    python: Path | None,
    as_json: bool,
    wait_secs: float,
) -> int:
    """Simulate recorded episodes again, and compare or draw them.

    Every observation, reward and flag is compared with the record. Exit code 0 only when all are the same.
    Frames are numbered 0, after the reset, to n, after the last of n steps.

    \b
    Example:
      mosaic replay last --all --verify
      mosaic replay last --episode 7 --mp4 seven.mp4
      mosaic replay last --episode 7 --step 12 --svg board.svg
      mosaic replay last --episode 7 --view text
    """
    files = {"mp4": mp4, "gif": gif, "png": png, "svg": svg}
    showing = showing_of(files, view=view, step=step, first=first, last=last, fps=fps, theme=theme)
    if everything == bool(episodes):
        raise click.UsageError("say which: --episode N, or --all")
    if showing is not None and (verify or everything or len(episodes) != 1):
        raise click.UsageError("--mp4, --gif, --png, --svg and --view take one --episode, and no --verify")
    if showing is not None and showing.target is None and as_json:
        raise click.UsageError("--view text is for people; --json has the verdict alone, without --view")
    root, row = options.find(run)
    options.ask(root, row, lambda reader: reader.summary(), wait_secs=wait_secs)
    folder = root.run(row.run_id)
    words = str(python) if python is not None else None
    if showing is not None:
        verdict = showing.run(folder, options.episode_key(episodes[0]), allowed=allowed, python=words)
        if showing.target is None:
            return int(not verdict.exact)
        verdicts = [verdict]
    else:
        keys = [] if everything else [options.episode_key(text) for text in episodes]
        verdicts = _verify(folder, keys, allowed=allowed, python=words)
        if not verdicts:
            note(f"run {row.name or row.run_id} has no episodes: nothing was replayed")
            return 1
    return _tell(verdicts, as_json=as_json)


def _verify(
    folder: RunFolder, keys: list[int | str], *, allowed: tuple[str, ...], python: str | None
) -> list[Verdict]:
    from mosaic.replay.verify import verify
    from mosaic.store.reader import StoreReader

    with StoreReader(folder) as reader:
        rows = [reader.episode(key) for key in keys] if keys else reader.episodes()
        with bar(f"replaying {len(rows):,} episodes") as progress:
            found = list(verify(folder, reader, rows, allowed=allowed, python=python, progress=progress))
    return sorted(found, key=lambda verdict: verdict.episode)


def _tell(verdicts: list[Verdict], *, as_json: bool) -> int:
    failed = [verdict for verdict in verdicts if not verdict.exact]
    if as_json:
        write_json_lines(verdicts)
        return int(bool(failed))
    rows = []
    for verdict in verdicts:
        at = "" if verdict.step is None else "reset" if verdict.step < 0 else str(verdict.step)
        how = verdict.way
        if verdict.status == "diverged":
            how = f"{verdict.what} was {verdict.recorded}, is {verdict.now}"
            how += f" ({verdict.reason})" if verdict.reason else ""
        elif verdict.status == "cannot":
            how = verdict.reason
        rows.append([str(verdict.episode), str(verdict.steps), verdict.status, at, how])

    def colour(title: str, text: str, padded: str) -> str:
        return paint(_COLOURS.get(text, "0"), padded) if title == "REPLAY" else padded

    for line in render(_COLUMNS, rows, cells=cells(), style=colour):
        sys.stdout.write(f"{line}\n")
    for text in sorted({text for verdict in verdicts for text in verdict.notes}):
        note(f"mosaic: {text}")
    steps = sum(verdict.steps for verdict in verdicts)
    one = len(verdicts) == 1
    if failed:
        which = "the episode" if one else f"{len(failed):,} of {len(verdicts):,} episodes"
        note(f"{which} did not replay exactly")
    else:
        which = "the episode" if one else f"all {len(verdicts):,} episodes"
        note(f"{which}, {steps:,} {'step' if steps == 1 else 'steps'}, replayed exactly")
    return int(bool(failed))
