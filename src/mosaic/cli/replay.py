"""`mosaic replay RUN`: episodes simulated again, compared with the record, and drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mosaic.cli import options
from mosaic.cli.output import cells, note, paint, write_json_lines
from mosaic.cli.progress import bar
from mosaic.cli.table import Column, render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.paths import RunFolder
    from mosaic.replay.cache import Frame
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
@click.option("--mp4", type=click.Path(path_type=Path, dir_okay=False), help="Write a video.")
@click.option("--gif", type=click.Path(path_type=Path, dir_okay=False), help="Write an animated GIF.")
@click.option("--png", type=click.Path(path_type=Path, file_okay=False), help="Write frames into a folder.")
@click.option("--fps", type=click.FloatRange(min=0.1, max=240), help="Frames per second of a video or GIF.")
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
    mp4: Path | None,
    gif: Path | None,
    png: Path | None,
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
    """
    drawing = [path for path in (mp4, gif, png) if path is not None]
    if everything == bool(episodes):
        raise click.UsageError("say which: --episode N, or --all")
    if drawing and (verify or everything or len(episodes) != 1):
        raise click.UsageError("--mp4, --gif and --png take one --episode, and no --verify")
    if len(drawing) > 1:
        raise click.UsageError("choose one of --mp4, --gif and --png")
    if not drawing and (first or last is not None or fps is not None):
        raise click.UsageError("--from, --to and --fps are for --mp4, --gif and --png")
    root, row = options.find(run)
    options.ask(root, row, lambda reader: reader.summary(), wait_secs=wait_secs)
    folder = root.run(row.run_id)
    words = str(python) if python is not None else None
    if drawing:
        key = options.episode_key(episodes[0])
        verdicts = [_draw(folder, key, drawing[0], kind=_kind(mp4, gif), first=first, last=last,
                          fps=fps, allowed=allowed, python=words)]  # fmt: skip
    else:
        keys = [] if everything else [options.episode_key(text) for text in episodes]
        verdicts = _verify(folder, keys, allowed=allowed, python=words)
        if not verdicts:
            note(f"run {row.name or row.run_id} has no episodes: nothing was replayed")
            return 1
    return _tell(verdicts, as_json=as_json)


def _kind(mp4: Path | None, gif: Path | None) -> str:
    return "mp4" if mp4 is not None else "gif" if gif is not None else "png"


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


def _draw(
    folder: RunFolder,
    key: int | str,
    target: Path,
    *,
    kind: str,
    first: int,
    last: int | None,
    fps: float | None,
    allowed: tuple[str, ...],
    python: str | None,
) -> Verdict:
    from mosaic.exporting.video import write_gif, write_mp4, write_png
    from mosaic.replay.player import Player

    with bar(f"replaying episode {key}") as progress:
        player = Player(folder, key, allowed=allowed, python=python, progress=progress)
    with player:
        end = player.steps if last is None else min(last, player.steps)
        if first > end:
            raise click.UsageError(f"episode {key} has the frames 0 to {player.steps}")
        with bar(f"drawing episode {key}") as progress:

            def frames() -> Iterator[Frame]:
                for frame in player.play(0, start=first, stop=end):
                    yield frame
                    progress(frame.step - first + 1, end - first + 1)

            if kind == "png":
                count = write_png(frames(), target)
            else:
                write = write_mp4 if kind == "mp4" else write_gif
                count = write(frames(), target, fps=fps or player.fps)
    note(f"{target}: {count:,} frames of episode {player.row.index}")
    return player.verdict


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
