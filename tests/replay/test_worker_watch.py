"""What an environment depends on besides its record."""

from __future__ import annotations

import datetime
import os
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mosaic_worker.replay import watch


@pytest.mark.parametrize(
    ("draw", "names"),
    [
        (random.random, ["random"]),
        (np.random.random, ["numpy"]),
        (np.random.default_rng(1).random, []),
        (random.Random(1).random, []),
    ],
)
def test_a_global_generator_that_was_drawn_from_is_seen(draw: Callable[[], Any], names: list[str]) -> None:
    before = watch.global_generators()
    draw()
    assert watch.moved(before) == names


class Core:
    """An environment, as far as callers go."""

    def step(self, ask: Callable[[], Any]) -> Any:
        return ask()


@pytest.mark.parametrize(
    ("ask", "seen"),
    [
        (time.time, {"clock"}),
        (lambda: datetime.datetime.now(tz=datetime.timezone.utc), {"clock"}),
        (lambda: os.urandom(3), {"entropy"}),
        (np.random.default_rng, {"entropy"}),
        (lambda: np.zeros(3).sum(), set()),
    ],
)
def test_what_an_environment_asks_the_system_for_is_seen(ask: Callable[[], Any], seen: set[str]) -> None:
    core = Core()
    with watch.calls(lambda: core) as found:
        core.step(ask)
    assert found == seen


def test_what_others_ask_for_is_not_the_environments_doing() -> None:
    core = Core()
    with watch.calls(lambda: core) as found:
        time.time()
        Core().step(time.time)
    assert found == set()
