"""The RunBus coalesces and never grows."""

from __future__ import annotations

import asyncio

import pytest

from mosaic.daemon.bus import RunBus
from mosaic.errors import DaemonError


def test_a_subscriber_that_slept_gets_only_the_latest_of_each_run() -> None:
    async def scene() -> dict[str, int]:
        bus: RunBus[int] = RunBus()
        with bus.subscribe() as news:
            for seq in range(100_000):
                bus.announce("a", seq)
            bus.announce("b", 1)
            return await news.take()

    assert asyncio.run(scene()) == {"a": 99_999, "b": 1}


def test_a_subscriber_of_one_run_hears_nothing_of_others() -> None:
    async def scene() -> tuple[dict[str, int], dict[str, int]]:
        bus: RunBus[int] = RunBus()
        with bus.subscribe("a") as news:
            bus.announce("b", 1)
            nothing = await news.take_within(0.001)
            bus.announce("a", 2)
            return nothing, await news.take_within(5)

    assert asyncio.run(scene()) == ({}, {"a": 2})


def test_what_is_announced_while_nobody_waits_is_taken_later() -> None:
    async def scene() -> dict[str, int]:
        bus: RunBus[int] = RunBus()
        with bus.subscribe() as news:
            waiting = asyncio.ensure_future(news.take())
            await asyncio.sleep(0)
            bus.announce("a", 1)
            first = await waiting
            bus.announce("a", 2)
            return first | {"then": (await news.take())["a"]}

    assert asyncio.run(scene()) == {"a": 1, "then": 2}


def test_places_are_limited_and_given_back() -> None:
    async def scene() -> None:
        bus: RunBus[int] = RunBus(max_subscribers=1)
        with bus.subscribe(), pytest.raises(DaemonError, match="1 streams are open"):
            bus.subscribe()
        assert len(bus) == 0
        with bus.subscribe():
            assert len(bus) == 1

    asyncio.run(scene())
