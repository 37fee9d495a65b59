"""`mosaic watch RUN`: the live frames or scenes of a run, in the terminal and as PNG files."""

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
from mosaic.cli.redrawn import Redrawn
from mosaic.errors import MosaicError, UsageError
from mosaic.fastlane import png
from mosaic.fastlane.lane import Lease
from mosaic.fastlane.reader import Frame
from mosaic.fastlane.tiles import tile
from mosaic.fastlane.viewer import OTHER_VERSION, Viewer
from mosaic.text import number, speed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mosaic.fastlane.reader import LiveScene
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
@click.option("--view", type=click.Choice(["frame", "scene", "text"]), default="frame", show_default=True,
              help="As drawn, as scenes, or scenes as text here.")  # fmt: skip
@click.option("--png", "folder", type=click.Path(file_okay=False, path_type=Path), help="Save frames here.")
@click.option("--frames", "most", type=click.IntRange(min=1), metavar="N", help="Stop after N frames.")
def watch_command(
    *, run: str, fps: float, env: int | None, grid: int, view: str, folder: Path | None, most: int | None
) -> None:
    """Watch the live frames of a run.

    The run renders only what is watched, and only while it is watched. A scene is what is there instead of
    what is drawn: a board or a grid. It is not rendered at all.

    \b
    Example:
      mosaic watch last
      mosaic watch last --env 2 --png out --frames 30
      mosaic watch last --view text
    """
    if view == "text" and folder is not None:
        raise click.UsageError("--view text is for the terminal; with --png take --view scene")
    root, row = options.find(run)
    if has_ended(root, row.run_id):
        raise UsageError(
            f"run {row.run_id} has ended, there is nothing live to watch. See: mosaic show {run}"
        )
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    lease = Lease(fps=fps, scenes=view != "frame")
    with Viewer(root.run(row.run_id), lease=lease, env=env, most=grid) as viewer:
        watching = _Watching(viewer, view=view, folder=folder, most=most, period_secs=1.0 / fps)
        try:
            watching.until_ended(root, row.run_id)
        finally:
            watching.line.clear()
    if not watching.count:
        raise MosaicError(watching.why_nothing(env))
    where = f" in {folder}" if folder is not None else ""
    if view == "text":
        return
    click.echo(f"{watching.count} {view}s{where}; the last: {watching.said}")


class _Watching:
    """One stay with the frames or scenes of a run."""

    def __init__(
        self, viewer: Viewer, *, view: str, folder: Path | None, most: int | None, period_secs: float
    ) -> None:
        self._viewer, self._view, self._folder, self._most = viewer, view, folder, most
        self._text = Redrawn(sys.stdout) if view == "text" else None
        self._pause = min(period_secs / 4, 0.02)
        self._newest: dict[tuple[str, int], Frame | LiveScene] = {}
        self._notes: list[str] = []
        self._first_at = math.inf
        self.line = StatusLine(sys.stderr, cells=shutil.get_terminal_size().columns)
        self._live = sys.stderr.isatty()
        self._say_at = 0.0
        self._seen_any = self._no_scene = False
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
                self._no_scene = self._view != "frame" and self._viewer.without_scenes()
                if self._no_scene:
                    return
            self._viewer.tick()
            came: dict[tuple[str, int], Frame | LiveScene] = {}
            came.update(self._viewer.frames())
            came.update(self._viewer.scenes())
            if came:
                self._take(came, now)
            time.sleep(self._pause)

    def _tell_notes(self) -> None:
        self._seen_any = self._seen_any or self._viewer.count() > 0
        notes = self._viewer.notes()
        for text in notes if self._view == "frame" else [one for one in notes if one == OTHER_VERSION]:
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

    def _take(self, came: dict[tuple[str, int], Frame | LiveScene], now: float) -> None:
        self._newest.update(came)
        keys = [watched.key for watched in self._viewer.watched]
        shown = [self._newest[key] for key in keys if key in self._newest]
        self._first_at = min(self._first_at, now)
        if not shown or (len(shown) < len(keys) and now < self._first_at + _SETTLE_SECS):
            return  # the first frame of a grid waits a moment until it is whole
        self.count += 1
        if self._folder is not None:
            path = self._folder / f"frame-{self.count:05d}.png"
            path.write_bytes(png.encode(tile([_pixels(one) for one in shown])))
        self.said = _describe(shown)
        if self._text is not None:
            self._text.show("\n".join([*(_as_text(one) for one in shown), self.said]))
        elif self._live and now >= self._say_at:
            self.line.draw(self.said)
            self._say_at = now + 0.1
        elif not self._live and now >= self._say_at:
            note(self.said)
            self._say_at = now + _SAY_SECS

    def why_nothing(self, env: int | None) -> str:
        """Why no frame came."""
        if self._no_scene:
            return (
                "MOSAIC has no scene of what this run plays. Without --view its frames are shown; "
                "docs/scenes.md says how to write a scene of it"
            )
        if self._notes:
            return "; ".join(self._notes)
        if env is not None and self._seen_any:
            return f"no frame: the run has no environment at position {env}"
        if self._seen_any:
            return "no frame: the run ended before one was due"
        return "no frame: the run has ended and none of its processes reset a Gymnasium environment meanwhile"


def _pixels(shown: Frame | LiveScene) -> npt.NDArray[np.uint8]:
    if isinstance(shown, Frame):
        return shown.pixels
    from mosaic.exporting.scenes import painted

    return next(painted([(shown.hud.step, shown.scene)])).array()


def _as_text(shown: Frame | LiveScene) -> str:
    from mosaic.render.text import plain

    return "" if isinstance(shown, Frame) else plain(shown.scene)


def _describe(shown: list[Frame | LiveScene]) -> str:
    newest = max(shown, key=lambda frame: frame.monotonic_nanos)
    hud = newest.hud
    if isinstance(newest, Frame):
        height, width = newest.pixels.shape[:2]
        size = f"{width}x{height}"
    else:
        size = f"{newest.scene.width:g} by {newest.scene.height:g} cells"
    parts = [
        f"{len(shown)} environments" if len(shown) > 1 else f"env {hud.env_index}",
        f"episode {hud.episode} step {hud.step} return {number(hud.total)} reward {number(hud.reward)}",
        size,
    ]
    if hud.rate:
        parts.append(f"{speed(hud.rate)} steps/s ({speed(hud.free_rate)} if nobody watched)")
    making = "render" if isinstance(newest, Frame) else "make"
    age_millis = (time.monotonic_ns() - newest.monotonic_nanos) / 1e6
    parts.append(f"{hud.render_secs * 1e3:.1f} ms to {making}, {max(age_millis, 0):.1f} ms old")
    return " · ".join(parts)
