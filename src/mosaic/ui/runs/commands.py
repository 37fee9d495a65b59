"""What can be done to the chosen runs, as actions for menus, palette and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.runs.ops import live
from mosaic.ui.shell.model.actions import Action

if TYPE_CHECKING:
    from mosaic.ui.runs.panel import RunPanel

__all__ = ["run_commands"]


def run_commands(panel: RunPanel) -> list[Action]:
    """The section Run. The last two are not about chosen runs."""

    def one() -> bool:
        return panel.focus_row() is not None

    def some() -> bool:
        return bool(panel.chosen())

    def some_live() -> bool:
        return bool(live(panel.chosen()))

    here = "runs"
    return [
        Action(id="run.watch", title="Watch live", call=panel.watch, when=one, keys=("Ctrl+L",)),
        Action(id="run.replay", title="Replay", call=panel.replay, when=one, keys=("Ctrl+R",)),
        Action(id="run.pause", title="Pause or resume", call=panel.pause, when=some_live, keys=("Ctrl+P",)),
        Action(id="run.stop", title="Stop…", call=panel.stop, when=some_live, keys=("Ctrl+.",)),
        Action(id="run.rename", title="Rename", call=panel.rename, when=one, keys=("F2",), scope=here),
        Action(id="run.tags", title="Edit tags", call=panel.tag, when=one, keys=("Shift+F2",), scope=here),
        Action(id="run.folder", title="Open folder", call=panel.open_folder, when=one, keys=("Ctrl+O",)),
        Action(id="run.copy", title="Copy id", call=panel.copy_id, when=some, keys=("Ctrl+C",), scope=here),
        Action(id="run.delete", title="Delete", call=panel.delete, when=some, keys=("Del",), scope=here),
        Action(
            id="run.undo",
            title="Undo delete",
            call=panel.undo,
            when=lambda: panel.deletions.waiting,
            keys=("Ctrl+Z",),
        ),
        Action(id="run.filter", title="Filter runs", call=panel.focus_filter, keys=("Ctrl+F",)),
    ]
