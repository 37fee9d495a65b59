"""An episode as a file: MP4, GIF, or one PNG for each frame. Blocks: not for the window's thread.

Plays the episode once more in a child of its own, so that the one on screen is not disturbed.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Literal

from mosaic.errors import ReplayCancelledError, UsageError
from mosaic.exporting.scenes import painted, scenes_of
from mosaic.exporting.video import write_gif, write_mp4, write_png
from mosaic.render.themes import DARK, LIGHT
from mosaic.replay.player import Player
from mosaic.runs.files import make_private
from mosaic.ui.shell.model.views import FRAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from mosaic.paths import RunFolder
    from mosaic.replay.cache import Frame

__all__ = ["Export", "Kind", "path_for"]

Kind = Literal["mp4", "gif", "png"]

MOST_GIF_FRAMES = 1500
"""A GIF is made in memory, all frames of it."""


def path_for(folder: RunFolder, episode: int, kind: Kind) -> Path:
    """Where an export goes if nobody says otherwise: in the run's folder."""
    name = f"episode-{episode:06d}"
    return folder.path / "videos" / (name if kind == "png" else f"{name}.{kind}")


class Export:
    """One export. `run` does it; `cancel`, from any thread, ends it with `ReplayCancelledError`.

    Args:
        folder: the run.
        episode: its index.
        kind: what kind of file.
        path: the file, or for PNG the folder.
        allowed: modules that may be imported for the environment.
        speed: how much faster than the environment's pace it plays.
        view: frames, or else scenes, painted for a light ground or a dark one.
        dark: see `view`.
        progress: called with how many frames of how many are done, on the thread that runs it.
    """

    def __init__(
        self,
        folder: RunFolder,
        episode: int,
        *,
        kind: Kind,
        path: Path,
        allowed: Sequence[str] = (),
        speed: float = 1.0,
        view: str = FRAME,
        dark: bool = False,
        progress: Callable[[int, int], object] = lambda _done, _of: None,
    ) -> None:
        self._folder, self._episode, self._allowed = folder, episode, tuple(allowed)
        self.kind, self.path = kind, path
        self._speed, self._progress = speed, progress
        self._view, self._theme = view, DARK if dark else LIGHT
        self._stop = threading.Event()
        self._player: Player | None = None

    def cancel(self) -> None:
        """Leave it. What was begun is removed, except PNG files that are whole."""
        self._stop.set()
        player = self._player
        if player is not None:
            player.cancel()

    def run(self) -> int:
        """Write it; how many frames it has.

        Raises:
            ReplayError: the episode cannot be replayed or drawn.
            UsageError: something is missing to write that kind of file, or it would be too large.
        """
        if not self.path.parent.exists():
            make_private(self.path.parent)
        with Player(
            self._folder, self._episode, allowed=self._allowed, opening=self._opening, progress=self._opened
        ) as player:
            if self.kind == "gif" and player.steps >= MOST_GIF_FRAMES:
                raise UsageError(
                    f"a GIF of {player.steps + 1} frames would be too large (the most is "
                    f"{MOST_GIF_FRAMES}); export MP4 instead"
                )
            frames, fps = self._frames(player), player.fps * self._speed
            if self.kind == "mp4":
                return write_mp4(frames, self.path, fps=fps)
            if self.kind == "gif":
                return write_gif(frames, self.path, fps=fps)
            return write_png(frames, self.path)

    def _opening(self, player: Player) -> None:
        self._player = player

    def _opened(self, _done: int, _of: int) -> None:
        if self._stop.is_set():
            raise ReplayCancelledError("the export was cancelled")

    def _frames(self, player: Player) -> Iterator[Frame]:
        for step in range(player.steps + 1):
            if self._stop.is_set():
                raise ReplayCancelledError("the export was cancelled")
            if self._view == FRAME:
                yield player.frame(step)
            else:
                yield from painted(scenes_of(player, [step]), theme=self._theme)
            self._progress(step + 1, player.steps + 1)
