"""Recording from inside a worker. Standard library only; does nothing by itself outside `mosaic run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["current"]

_current: Optional[Recorder] = None


def current() -> Optional[Recorder]:
    """The recorder of this process, or None when it is not being recorded."""
    return _current
