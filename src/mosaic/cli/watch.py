"""`mosaic watch RUN`: the live frames of a run, as a line on the terminal and as PNG files."""

from __future__ import annotations

import math
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mosaic.app.reading import has_ended
from mosaic.cli import options
from mosaic.cli.follow import StatusLine
from mosaic.cli.output import note
from mosaic.errors import MosaicError, UsageError
from mosaic.fastlane import png
from mosaic.fastlane.lane import Lease
from mosaic.fastlane.tiles import tile
from mosaic.fastlane.viewer import Viewer
from mosaic.text import number, speed

if TYPE_CHECKING:
    from mosaic.fastlane.reader import Frame
    from mosaic.paths import DataRoot

__all__ = ["watch_command"]

_LOOK_SECS = 0.3
_SETTLE_SECS = 1.0
_SAY_SECS = 1.0
_PATIENCE_SECS = 1.5


@click.command("watch")
@options.run_argument
@click.option("--fps", type=click.FloatRange(min=0.01, max=240.0), default=30.0, show_default=True,
              metavar="N", help="At most N frames a second.")  # fmt: skip
@click.option("--env", type=click.IntRange(min=0), help="Only the environment at this position.")
@click.option("--grid", type=click.IntRange(min=1), is_flag=False, flag_value=16, default=16,
              show_default=True, metavar="N", help="All environments in one frame, at most N.")  # fmt: skip
@click.option("--png", "folder", type=click.Path(file_okay=False, path_type=Path), help="Save frames here.")
@click.option("--frames", "most", type=click.IntRange(min=1), metavar="N", help="Stop after N frames.")
def watch_command(
    *, run: str, fps: float, env: int | None, grid: int, folder: Path | None, most: int | None
) -> None:
    """Watch the live frames of a run.

    The run renders only what is watched, and only while it is watched.

    \b
    Example:
      mosaic watch last
      mosaic watch last --env 2 --png out --frames 30
    """
    root, row = options.find(run)
    if has_ended(root, row.run_id):
        raise UsageError(
            f"run {row.run_id} has ended, there is nothing live to watch. See: mosaic show {run}"
        )
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with Viewer(root.run(row.run_id), lease=Lease(fps=fps), env=env, most=grid) as viewer:
        watching = _Watching(viewer, folder=folder, most=most, period_secs=1.0 / fps)
        try:
            watching.until_ended(root, row.run_id)
        finally:
            watching.line.clear()
    if not watching.count:
        raise MosaicError(watching.why_nothing(env))
    where = f" in {folder}" if folder is not None else ""
    click.echo(f"{watching.count} frames{where}; the last: {watching.said}")


class _Watching:
    """One stay with the frames of a run."""

    def __init__(self, viewer: Viewer, *, folder: Path | None, most: int | None, period_secs: float) -> None:
        self._viewer, self._folder, self._most = viewer, folder, most
        self._pause = min(period_secs / 4, 0.02)
        self._newest: dict[tuple[str, int], Frame] = {}
        self._notes: list[str] = []
        self._first_at = math.inf
        self.line = StatusLine(sys.stderr, cells=shutil.get_terminal_size().columns)
        self._live = sys.stderr.isatty()
        self._say_at = 0.0
        self._seen_any = False
        self._waits = ""
        self._patient_until = math.inf
        self.count = 0
        self.said = ""

    def until_ended(self, root: DataRoot, run_id: str) -> None:
        """Take frames until there are enough, or the run has ended."""
        look_at = 0.0
        while self._most is None or self.count < self._most:
            now = time.monotonic()
            if now >= look_at:
                look_at = now + _LOOK_SECS
                if has_ended(root, run_id):
                    return
                self._tell_notes()
                self._tell_waiting(now)
            self._viewer.tick()
            came = self._viewer.frames()
            if came:
                self._take(came, now)
            time.sleep(self._pause)

    def _tell_notes(self) -> None:
        self._seen_any = self._seen_any or self._viewer.count() > 0
        for text in self._viewer.notes():
            if text not in self._notes:
                self._notes.append(text)
                self.line.clear()
                note(f"mosaic: {text}")

    def _tell_waiting(self, now: float) -> None:
        """Say what it waits for, when that takes more than a moment."""
        if self.count or self._notes:
            return
        waits = (
            "the next step of an environment" if self._seen_any else "the run to reset its first environment"
        )
        if waits != self._waits:
            self._waits, self._patient_until = waits, now + _PATIENCE_SECS
        elif now >= self._patient_until:
            self._patient_until = math.inf
            note(f"mosaic: waiting for {waits} …")

    def _take(self, came: dict[tuple[str, int], Frame], now: float) -> None:
        self._newest.update(came)
        keys = [watched.key for watched in self._viewer.watched]
        shown = [self._newest[key] for key in keys if key in self._newest]
        self._first_at = min(self._first_at, now)
        if not shown or (len(shown) < len(keys) and now < self._first_at + _SETTLE_SECS):
            return  # the first frame of a grid waits a moment until it is whole
        self.count += 1
        if self._folder is not None:
            path = self._folder / f"frame-{self.count:05d}.png"
            path.write_bytes(png.encode(tile([frame.pixels for frame in shown])))
        self.said = _describe(shown)
        if self._live and now >= self._say_at:
            self.line.draw(self.said)
            self._say_at = now + 0.1
        elif not self._live and now >= self._say_at:
            note(self.said)
            self._say_at = now + _SAY_SECS

    def why_nothing(self, env: int | None) -> str:
        """Why no frame came."""
        if self._notes:
            return "; ".join(self._notes)
        if env is not None and self._seen_any:
            return f"no frame: the run has no environment at position {env}"
        if self._seen_any:
            return "no frame: the run ended before one was due"
        return "no frame: the run has ended and none of its processes reset a Gymnasium environment meanwhile"


def _describe(shown: list[Frame]) -> str:
    newest = max(shown, key=lambda frame: frame.monotonic_nanos)
    hud = newest.hud
    height, width = newest.pixels.shape[:2]
    parts = [
        f"{len(shown)} environments" if len(shown) > 1 else f"env {hud.env_index}",
        f"episode {hud.episode} step {hud.step} return {number(hud.total)} reward {number(hud.reward)}",
        f"{width}x{height}",
    ]
    if hud.rate:
        parts.append(f"{speed(hud.rate)} steps/s ({speed(hud.free_rate)} if nobody watched)")
    age_millis = (time.monotonic_ns() - newest.monotonic_nanos) / 1e6
    parts.append(f"{hud.render_secs * 1e3:.1f} ms to render, {max(age_millis, 0):.1f} ms old")
    return " · ".join(parts)
