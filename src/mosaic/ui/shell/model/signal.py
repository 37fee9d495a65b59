"""A signal without Qt: who is interested connects, who changed emits. One thread; no queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Signal"]

P = ParamSpec("P")


class Signal(Generic[P]):
    """One thing that may happen.

    Whoever connects while it is being emitted hears it from the next time on; whoever disconnects hears
    nothing any more, not even in the same round.
    """

    def __init__(self) -> None:
        self._listeners: list[Callable[P, object]] = []

    def connect(self, listener: Callable[P, object]) -> Callable[[], None]:
        """Be told from now on; call what is returned to be told no more (twice is fine)."""
        self._listeners.append(listener)

        def disconnect() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return disconnect

    def emit(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Tell everyone, in the order in which they connected."""
        for listener in list(self._listeners):
            if listener in self._listeners:
                listener(*args, **kwargs)
