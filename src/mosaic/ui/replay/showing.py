"""What a projector made, on a surface: a frame, or a scene painted or as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.replay.projector import SceneAt

if TYPE_CHECKING:
    from mosaic.replay.cache import Frame
    from mosaic.ui.shell.widgets.surface import Surface

__all__ = ["show"]


def show(surface: Surface, shown: Frame | SceneAt | None, *, view: str) -> bool:
    """Show it, in this view. Whether there was anything."""
    if isinstance(shown, SceneAt):
        surface.show_scene(shown.scene, view=view)
    elif shown is not None:
        surface.show_pixels(shown.array())
    return shown is not None
