"""The worker's voice, and its boundary: one line on stderr per trouble, and no trouble reaches the script.

`guard` (and the same thing inlined where every nanosecond counts) is where exceptions are caught
broadly, and nothing else does so. Our code runs inside other people's training: whatever goes wrong in it is
counted under the name of the hook, reported once, and the script runs on. The first failure of each hook is
also handed to a listener (the recorder, which notes it in the journal: a run that is killed shows it too).
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Set, Type

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["caught", "counts", "guard", "listen", "missed", "once"]

_lock = threading.RLock()  # of the kind that a signal handler may take again
_said: Set[str] = set()
_counts: Dict[str, int] = {}
_listeners: List[Callable[[str], object]] = []


def once(text: str) -> bool:
    """Say a line on stderr, the first time only. Whether this was the first time."""
    with _lock:
        if text in _said:
            return False
        _said.add(text)
    try:
        sys.stderr.write(f"mosaic: {text}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass  # stderr is closed or missing: there is nobody to tell
    return True


def counts() -> Dict[str, int]:
    """How often each hook has failed so far."""
    with _lock:
        return dict(_counts)


def listen(listener: Callable[[str], object]) -> None:
    """Hand the first failure of each hook to `listener` from now on, as one sentence."""
    _listeners[:] = [listener]


def caught(where: str, error: Exception) -> None:
    """Count and report an exception that a hook has just caught at its boundary."""
    if _count(where) == 1:  # the texts of later ones may differ in all they say
        _tell(f"{where} failed and is skipped ({type(error).__name__}: {error}); the script runs on")


def missed(where: str, text: str) -> None:
    """Count and report something that could not be recorded as it was. `text` is one of few."""
    _count(where)
    _tell(text)


def _count(where: str) -> int:
    with _lock:
        _counts[where] = _counts.get(where, 0) + 1
        return _counts[where]


def _tell(text: str) -> None:
    if not once(text):
        return
    for listener in _listeners:
        with guard("noting a failure"):
            listener(text)


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


os.register_at_fork(after_in_child=_counts.clear)  # what failed in the parent is the parent's to tell
