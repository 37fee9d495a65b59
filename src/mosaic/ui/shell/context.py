"""What every part of the window is given: the data root, the shared models, and the way to do slow things."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mosaic.ui.shell.bridge import Bridge
from mosaic.ui.shell.model.actions import Actions
from mosaic.ui.shell.model.asks import Asks
from mosaic.ui.shell.model.colours import Colours
from mosaic.ui.shell.model.link import Link
from mosaic.ui.shell.model.runs import RunList
from mosaic.ui.shell.model.selection import Selection
from mosaic.ui.shell.model.toasts import Toasts
from mosaic.ui.shell.model.views import Views
from mosaic.ui.shell.ops import Ops

if TYPE_CHECKING:
    from mosaic.paths import DataRoot

__all__ = ["Context", "make_context"]


@dataclass(frozen=True, kw_only=True)
class Context:
    """Shared by all parts of one window; each takes what it needs, and is handed its own models beside it.

    A part with things to do offers them as `commands() -> list[Action]`; the window adds them to `actions`.
    """

    root: DataRoot
    bridge: Bridge
    ops: Ops
    runs: RunList
    selection: Selection
    toasts: Toasts
    asks: Asks
    link: Link
    colours: Colours
    actions: Actions
    views: Views = field(default_factory=Views)

    def close(self) -> None:
        """Deliver nothing more to the window, and let the work under way end."""
        self.bridge.close()
        self.ops.close()


def make_context(root: DataRoot) -> Context:
    """A context for a window of this data root. Made on the window's thread; starts nothing."""
    bridge, toasts, selection = Bridge(), Toasts(), Selection()

    def failed(text: str) -> None:
        toasts.say(text, level="bad", secs=10.0)

    return Context(
        root=root,
        bridge=bridge,
        ops=Ops(bridge, failed=failed),
        runs=RunList(),
        selection=selection,
        toasts=toasts,
        asks=Asks(),
        link=Link(),
        colours=Colours(selection),
        actions=Actions(),
    )
