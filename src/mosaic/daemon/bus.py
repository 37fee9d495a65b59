"""The RunBus: "run R is now at N", told to whoever waits. Carries no data, so it cannot lose any.

A subscriber that does not listen keeps one value per run, the latest; what it then reads is in the store.
Belongs to one event loop; other threads go through `loop.call_soon_threadsafe`.
"""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

from mosaic.errors import DaemonError

__all__ = ["RunBus", "Subscription"]

T = TypeVar("T")


class Subscription(Generic[T]):
    """One listener on the bus: the latest value of each run it has not taken yet."""

    def __init__(self, bus: RunBus[T], run_id: str | None) -> None:
        self._bus = bus
        self._run_id = run_id
        self._latest: dict[str, T] = {}
        self._some = asyncio.Event()

    def tell(self, run_id: str, value: T) -> None:
        """Keep a value; it replaces an older one of the same run."""
        if self._run_id is None or self._run_id == run_id:
            self._latest[run_id] = value
            self._some.set()

    async def take(self) -> dict[str, T]:
        """Wait until there is news, and take all of it."""
        await self._some.wait()
        self._some.clear()
        taken, self._latest = self._latest, {}
        return taken

    async def take_within(self, secs: float) -> dict[str, T]:
        """As `take`, but nothing after `secs`."""
        try:
            return await asyncio.wait_for(self.take(), secs)
        except asyncio.TimeoutError:
            return {}

    def __enter__(self) -> Subscription[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self._bus.leave(self)


class RunBus(Generic[T]):
    """Announces the latest value of each run to at most `max_subscribers`; one more is refused."""

    def __init__(self, *, max_subscribers: int = 256) -> None:
        self._max_subscribers = max_subscribers
        self._subscribers: set[Subscription[T]] = set()

    def __len__(self) -> int:
        return len(self._subscribers)

    def announce(self, run_id: str, value: T) -> None:
        """Tell everybody who listens to this run, or to all."""
        for subscriber in self._subscribers:
            subscriber.tell(run_id, value)

    def subscribe(self, run_id: str | None = None) -> Subscription[T]:
        """Listen to one run or to all; leave it by its context manager.

        Raises:
            DaemonError: there are `max_subscribers` already.
        """
        if len(self._subscribers) >= self._max_subscribers:
            raise DaemonError(f"{self._max_subscribers} streams are open already. Close some of them.")
        subscription = Subscription(self, run_id)
        self._subscribers.add(subscription)
        return subscription

    def leave(self, subscription: Subscription[T]) -> None:
        """End a subscription. Twice is fine."""
        self._subscribers.discard(subscription)
