"""Whether an installed library is being imported right now: what it tries out meanwhile is not the script's.

Read off the stack: the body of a module from `site-packages` runs, and the import machinery called it. A
module of the user's own that is imported by a launcher is the script, and a module run by `python -m` too.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["a_library"]

_INSTALLED = ("site-packages", "dist-packages")


def a_library() -> bool:
    """Whether this thread is inside the import of an installed library."""
    frame: Optional[FrameType] = sys._getframe(1)  # noqa: SLF001  (the stack is the question)
    while frame is not None:
        code, caller = frame.f_code, frame.f_back
        if code.co_name == "<module>" and caller is not None:
            importer = str(caller.f_globals.get("__name__"))
            is_installed = any(folder in code.co_filename for folder in _INSTALLED)
            if is_installed and importer.startswith("importlib._bootstrap"):
                return True
        frame = caller
    return False
