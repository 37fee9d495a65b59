"""What is being called in this thread right now, read off its call stack. Keeps no marks.

A mark ("we are inside a recorded call") can be left behind: Ctrl-C raises between any two operations, also
between the end of a call and the line that takes its mark away. The stack cannot. So a mark is only a hint
that saves the look; whoever finds one asks here whether it is still true.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Optional, Set

if TYPE_CHECKING:
    from types import CodeType, FrameType

__all__ = ["under_way", "under_way_for"]

_bottom: Optional[FrameType] = None
"""In a forked child: where it was forked. What lies below is the parent's doing."""


def under_way(codes: Set[CodeType], *, above: int = 1) -> bool:
    """Whether one of these functions is being called now; looked for above the `above`-th caller of this."""
    frame = sys._getframe(above).f_back  # noqa: SLF001  (the stack is the question)
    bottom = _bottom
    while frame is not None:
        if frame.f_code in codes:
            return True
        if frame is bottom:
            return False
        frame = frame.f_back
    return False


def under_way_for(codes: Set[CodeType], name: str, owner: Any, *, above: int = 1) -> bool:
    """Whether one of these functions is being called now with `owner` as its variable `name`."""
    frame = sys._getframe(above).f_back  # noqa: SLF001
    bottom = _bottom
    while frame is not None:
        if frame.f_code in codes and frame.f_locals.get(name) is owner:
            return True
        if frame is bottom:
            return False
        frame = frame.f_back
    return False


def _forked() -> None:
    global _bottom  # noqa: PLW0603  (of the process, like the stack)
    _bottom = sys._getframe(1)  # noqa: SLF001  (who called fork)


os.register_at_fork(after_in_child=_forked)
