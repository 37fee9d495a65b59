"""A callable of ours in the place of a built-in function. Knows no framework.

Not a function: pathlib before 3.11 keeps `os.rename` in a class, where a function would become a method and
be given one argument too many. What is told apart by what it is in (`os.supports_dir_fd`) stays so.
"""

from __future__ import annotations

import os
from typing import Any, Callable

__all__ = ["StandIn", "stand_in"]

_SETS = ("supports_dir_fd", "supports_effective_ids", "supports_fd", "supports_follow_symlinks")


class StandIn:
    """Calls `call(original, args, kwargs)` wherever the original was called.

    Args:
        original: the built-in function.
        home: the module it is found in from now on.
        call: must call it, once, and hand on what it returns and raises.
    """

    def __init__(self, original: Any, call: Callable[..., Any], *, home: str) -> None:
        self._original, self._call = original, call
        self.__name__ = self.__qualname__ = original.__name__
        self.__module__ = home
        self.__doc__ = original.__doc__
        self.__wrapped__ = original

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As the original."""
        return self._call(self._original, args, kwargs)

    def __repr__(self) -> str:
        """As the original."""
        return repr(self._original)

    def __reduce__(self) -> str:
        """Pickled as what it is: a function of its module."""
        return str(self.__name__)


def stand_in(owner: Any, name: str, call: Callable[..., Any]) -> None:
    """Put a stand-in into a module or a class, if the function is there and is none yet."""
    original = getattr(owner, name, None)
    if original is None or isinstance(original, StandIn):
        return
    ours = StandIn(original, call, home=owner.__name__)
    for known in (getattr(os, each, None) for each in _SETS):
        if known is not None and original in known:
            known.add(ours)
    setattr(owner, name, ours)
