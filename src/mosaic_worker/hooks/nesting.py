"""Who records when one hooked function calls another: the outermost, alone. Knows no framework."""

from __future__ import annotations

import functools
import sys
import threading
import types
from typing import Any, Callable, Dict, Optional, Set, Tuple

from mosaic_worker import stack

__all__ = ["Nesting", "argument", "wrap"]

_MARK = "_mosaic_nesting"
_codes: Set[types.CodeType] = set()


class Nesting(threading.local):
    """How deep this thread is inside hooked calls of one kind. `with nesting:` goes one deeper.

    An interrupt may leave `depth` too high: `holds` asks the stack.
    """

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *exc_info: object) -> None:
        self.depth -= 1

    def holds(self) -> bool:
        """Whether the hooked function that asks is called inside another one of this kind."""
        if stack.under_way_for(_codes, "nesting", self, above=2):
            return True
        self.depth = 0
        return False


def argument(
    args: Tuple[Any, ...], kwargs: Dict[str, Any], position: int, name: str, default: Any = None
) -> Any:
    """The argument a call gave for `name`, whether by position or by name."""
    if len(args) > position:
        return args[position]
    return kwargs.get(name, default)


def wrap(
    owner: Any,
    name: str,
    nesting: Nesting,
    after: Callable[..., None],
    before: Optional[Callable[..., Any]] = None,
) -> None:
    """Replace `owner.name` by a function that calls it and, when outermost, reports its success.

    `before(args, kwargs)` runs first and hands what it returns on; then the original, with whatever it raises
    left alone; then `after(found, result, args, kwargs)`. Both must guard themselves. A second wrap of the
    same function by the same kind of hook does nothing.
    """
    original = getattr(owner, name)
    if getattr(original, _MARK, None) == id(nesting):
        return

    def hooked(*args: Any, **kwargs: Any) -> Any:
        if nesting.depth and nesting.holds():
            return original(*args, **kwargs)
        found = before(args, kwargs) if before is not None else None
        with nesting:
            result = original(*args, **kwargs)
        after(found, result, args, kwargs)
        return result

    _codes.add(hooked.__code__)
    functools.update_wrapper(hooked, original)
    vars(hooked)[_MARK] = id(nesting)  # a number: who wraps this one in turn (Ray) may pickle its attributes
    if isinstance(owner, type) and name not in vars(owner):
        # Inherited: under the name it came with, one would find the original, and pickle ours by value.
        hooked.__module__, hooked.__qualname__ = owner.__module__, f"{owner.__qualname__}.{name}"
    setattr(owner, name, hooked)
    # A function is pickled by the name of the module that defines it, so it must be found there as well.
    home = sys.modules.get(getattr(original, "__module__", None) or "")
    if isinstance(owner, types.ModuleType) and home is not None and vars(home).get(name) is original:
        setattr(home, name, hooked)
