"""What `mosaic replay` makes of one episode: a video, images, or text in the terminal."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from mosaic.cli.output import note
from mosaic.cli.progress import bar
from mosaic.cli.redrawn import Redrawn
from mosaic.text import in_json, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder
    from mosaic.replay.cache import Frame
    from mosaic.replay.player import Player
    from mosaic.replay.verdicts import Verdict
    from mosaic_worker.common.scene import Scene

__all__ = ["Showing", "showing_of"]

_FILES = ("mp4", "gif", "png", "svg")
_SINGLE = ("png", "svg")


@dataclass(frozen=True, kw_only=True)
class Showing:
    """What is to be shown of an episode, and where.

    Args:
        kind: mp4, gif, png, svg, or text for the terminal.
        target: the file or folder; None for the terminal.
        view: frame or scene; None for what there is.
        step: only this one.
        first: the first of several; `last` alike, None for the last there is.
        fps: frames a second; None for the environment's own.
        dark: whether scenes are painted for a dark ground.
    """

    kind: str
    target: Path | None
    view: str | None
    step: int | None
    first: int
    last: int | None
    fps: float | None
    dark: bool

    def run(
        self, folder: RunFolder, key: int | str, *, allowed: tuple[str, ...], python: str | None
    ) -> Verdict:
        """Replay the episode and show it."""
        from mosaic.exporting.scenes import view_of
        from mosaic.replay.player import Player

        with bar(f"replaying episode {key}") as progress:
            player = Player(folder, key, allowed=allowed, python=python, progress=progress)
        with player:
            view = view_of(player, "scene" if self.kind == "svg" else self.view)
            end = player.steps if self.last is None else min(self.last, player.steps)
            first, end = (self.first, end) if self.step is None else (self.step, self.step)
            if first > end or end > player.steps:
                raise click.UsageError(f"episode {key} has the frames 0 to {player.steps}")
            steps = range(first, end + 1)
            if self.target is None:
                self._print(player, steps)
                note(f"episode {player.row.index}: {player.verdict.sentence()}")
                return player.verdict
            with bar(f"drawing episode {key}") as progress:
                count = self._write(player, steps, view, self.target, progress)
            frames = "frame" if count == 1 else "frames"
            note(f"{self.target}: {count:,} {frames} of episode {player.row.index}")
        return player.verdict

    def _write(
        self, player: Player, steps: range, view: str, target: Path, progress: Callable[[int, int], None]
    ) -> int:
        from mosaic.exporting.scenes import painted, scenes_of, write_svg
        from mosaic.exporting.video import write_gif, write_mp4, write_png
        from mosaic.render.themes import DARK, LIGHT

        theme = DARK if self.dark else LIGHT

        def scenes() -> Iterator[tuple[int, Scene]]:
            for step, scene in scenes_of(player, steps):
                yield step, scene
                progress(step - steps.start + 1, len(steps))

        def frames() -> Iterator[Frame]:
            for frame in player.play(0, start=steps.start, stop=steps.stop - 1):
                yield frame
                progress(frame.step - steps.start + 1, len(steps))

        if self.kind == "svg":
            return write_svg(scenes(), target, one=self.step is not None, theme=theme)
        drawn = frames() if view == "frame" else painted(scenes(), theme=theme)
        if self.kind == "png":
            return write_png(drawn, target, one=self.step is not None)
        write = write_mp4 if self.kind == "mp4" else write_gif
        return write(drawn, target, fps=self.fps or player.fps)

    def _print(self, player: Player, steps: range) -> None:
        """The scenes as text, on a terminal at the environment's pace."""
        from mosaic.exporting.scenes import scenes_of
        from mosaic.render.text import plain

        block = Redrawn(sys.stdout)
        pause_secs = 1.0 / (self.fps or player.fps) if block.live else 0.0
        for step, scene in scenes_of(player, steps):
            block.show(f"{_caption(player, step)}\n{plain(scene)}")
            if step != steps[-1]:
                time.sleep(pause_secs)


def _caption(player: Player, step: int) -> str:
    if step == 0:
        return f"step 0 of {player.steps} · reset"
    row = player.recorded[step - 1]
    total = sum(one.reward for one in player.recorded[:step])
    ended = " · terminated" if row.terminated else " · truncated" if row.truncated else ""
    said = f"action {in_json(row.action)} · reward {number(row.reward)} · return {number(total)}"
    return f"step {step} of {player.steps} · {said}{ended}"


def showing_of(
    files: dict[str, Path | None],
    *,
    view: str | None,
    step: int | None,
    first: int,
    last: int | None,
    fps: float | None,
    theme: str | None,
) -> Showing | None:
    """What the options ask for; None when nothing is to be shown.

    Raises:
        UsageError: they do not go together.
    """
    named = [kind for kind in _FILES if files.get(kind) is not None]
    if len(named) > 1:
        raise click.UsageError("choose one of --mp4, --gif, --png and --svg")
    kind = named[0] if named else ""
    some = first or last is not None or step is not None or fps is not None or theme is not None
    if not kind and view is None:
        if some:
            raise click.UsageError(
                "--from, --to, --step, --fps and --theme are for --mp4, --gif, --png, --svg and --view text"
            )
        return None
    if view == "text" and kind:
        raise click.UsageError(f"--view text is for the terminal; with --{kind} take --view scene")
    if not kind and view != "text":
        raise click.UsageError(
            f"--view {view} needs --mp4, --gif, --png or --svg; in a terminal take --view text"
        )
    if kind == "svg" and view == "frame":
        raise click.UsageError("an SVG shows the scene; for frames take --png")
    if step is not None and (first or last is not None):
        raise click.UsageError("choose --step, or --from and --to")
    if step is not None and kind not in (*_SINGLE, ""):
        raise click.UsageError("--step is for --png, --svg and --view text")
    if theme is not None and (view in ("frame", "text") or not (view or kind == "svg")):
        raise click.UsageError("--theme is for scenes: --svg, or --view scene")
    return Showing(
        kind=kind or "text",
        target=files.get(kind),
        view=view,
        step=step,
        first=first,
        last=last,
        fps=fps,
        dark=theme == "dark",
    )
