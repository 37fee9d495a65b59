"""Scenes of a replayed episode as frames and as SVG files. Painted without a window.

`view_of` says what is shown where nobody chose: what the environment draws, or its scene where it cannot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mosaic.errors import ReplayError, UsageError
from mosaic.render.svg import svg
from mosaic.render.themes import LIGHT
from mosaic.replay.cache import Frame
from mosaic.runs.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mosaic.render.themes import Theme
    from mosaic.replay.player import Player
    from mosaic_worker.common.scene import Scene

__all__ = ["View", "painted", "scenes_of", "view_of", "write_svg"]

View = Literal["frame", "scene"]


def view_of(player: Player, asked: str | None) -> View:
    """What is shown of an episode: what was asked for, else frames, else scenes where only those can be had.

    Raises:
        ReplayError: scenes were asked for, and there are none.
    """
    if asked in ("scene", "text") and not player.has_scene:
        raise ReplayError(
            f"MOSAIC has no scene of {player.env_name}. Ask for frames instead; docs/scenes.md says how to "
            "write a scene of it"
        )
    if asked is None:
        return "frame" if player.has_frames or not player.has_scene else "scene"
    return "frame" if asked == "frame" else "scene"


def scenes_of(player: Player, steps: Iterable[int]) -> Iterator[tuple[int, Scene]]:
    """The scenes of these steps.

    Raises:
        ReplayError: a step has none.
    """
    for step in steps:
        found = player.scene(step)
        if found is None:
            raise ReplayError(f"step {step} of episode {player.row.index} has no scene")
        yield step, found


def painted(scenes: Iterable[tuple[int, Scene]], *, theme: Theme = LIGHT) -> Iterator[Frame]:
    """Scenes as frames, each with its step.

    Raises:
        UsageError: Pillow is not installed.
    """
    try:
        from mosaic.exporting.raster import raster
    except ImportError as error:
        raise UsageError(
            "painting a scene as pixels needs Pillow. Install it with: pip install "
            '"mosaic-workbench[video]". SVG files and --view text need nothing'
        ) from error
    for step, scene in scenes:
        width, height, rgb = raster(scene, theme=theme)
        yield Frame(step, width, height, rgb)


def write_svg(scenes: Iterable[tuple[int, Scene]], target: Path, *, one: bool, theme: Theme = LIGHT) -> int:
    """One file per scene in a folder, named by its step; of `one` just the file. How many there are."""
    count = 0
    (target.parent if one else target).mkdir(parents=True, exist_ok=True)
    for step, scene in scenes:
        path = target if one else target / f"step-{step:06d}.svg"
        write_atomically(path, svg(scene, theme=theme).encode(), synced=False)
        count += 1
    return count
