"""The worker's voice, and its boundary: one line on stderr per trouble, and no trouble reaches the script.

`guard` (and the same thing inlined where every nanosecond counts) is where exceptions are caught
broadly, and nothing else does so. Our code runs inside other people's training: whatever goes wrong in it is
counted under the name of the hook, reported once, and the script runs on.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Dict, Optional, Set, Type

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["caught", "counts", "guard", "once"]

_lock = threading.RLock()  # of the kind that a signal handler may take again
_said: Set[str] = set()
_counts: Dict[str, int] = {}


def once(text: str) -> None:
    """Say a line on stderr, the first time only."""
    with _lock:
        if text in _said:
            return
        _said.add(text)
    try:
        sys.stderr.write(f"mosaic: {text}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return  # stderr is closed or missing: there is nobody to tell


def counts() -> Dict[str, int]:
    """How often each hook has failed so far."""
    with _lock:
        return dict(_counts)


def caught(where: str, error: Exception) -> None:
    """Count and report an exception that a hook has just caught at its boundary."""
    with _lock:
        _counts[where] = _counts.get(where, 0) + 1
        first = _counts[where] == 1
    if first:
        once(f"{where} failed and is skipped ({type(error).__name__}: {error}); the script runs on")


class guard:  # noqa: N801  (a context manager used like a function)
    """Catch, count and report once what goes wrong in our own code at `where`."""

    __slots__ = ("where",)

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], _: Optional[TracebackType]
    ) -> bool:
        # KeyboardInterrupt, SystemExit and the like are the script's own and pass through.
        if not isinstance(error, Exception):
            return False
        caught(self.where, error)
        return True
