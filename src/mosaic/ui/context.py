"""What every part of the window is given: the data root, the shared models, and the way to do slow things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.ui.bridge import Bridge
    from mosaic.ui.models.asks import Asks
    from mosaic.ui.models.runs import RunList
    from mosaic.ui.models.selection import Selection
    from mosaic.ui.models.toasts import Toasts
    from mosaic.ui.ops import Ops

__all__ = ["Context"]


@dataclass(frozen=True, kw_only=True)
class Context:
    """Shared by all parts of one window; each takes what it needs and makes its own models from it."""

    root: DataRoot
    bridge: Bridge
    ops: Ops
    runs: RunList
    selection: Selection
    toasts: Toasts
    asks: Asks
