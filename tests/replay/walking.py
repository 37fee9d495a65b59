"""A small environment whose ways are chosen, and the record of a walk in it. For the tests of seeking."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import numpy as np

from mosaic_worker.replay.seek import Seeker
from mosaic_worker.replay.sims import SingleSim
from mosaic_worker.replay.units import Unit
from mosaic_worker.values import plain

__all__ = ["Walk", "fresh", "played", "recorded", "seeker_of"]


class Walk:
    """Adds up its actions and its luck; may change when drawn, or hide something from copies.

    What it hides shows in its values (`hides`) or only in its frames (`veiled`).
    """

    hidden: ClassVar[dict[int, float]] = {}

    def __init__(
        self,
        *,
        hides: bool = False,
        veiled: bool = False,
        uncopyable: bool = False,
        traces: bool = False,
        placed: bool = False,
    ) -> None:
        self.np_random = np.random.default_rng(0)
        self.hides, self.veiled = hides, veiled
        self.traces, self.drawn = traces, 0
        self.total = 0.0
        self.placed, self.camera = placed, -1.0
        self.closed = False
        if uncopyable:
            self.lock = threading.Lock()

    @property
    def unwrapped(self) -> Walk:
        return self

    def reset(self, *, seed: int) -> Any:
        self.np_random = np.random.default_rng(seed)
        self.total = 0.0
        Walk.hidden[id(self)] = 0.0
        return np.array([self.total]), {}

    def step(self, action: int) -> Any:
        Walk.hidden[id(self)] += action
        self.total += action + self.np_random.random() + (Walk.hidden[id(self)] if self.hides else 0.0)
        return np.array([self.total]), float(action), False, False, {}

    def render(self) -> Any:
        self.drawn += self.traces
        if self.placed and self.camera < 0:
            self.camera = self.total * 100
        veil = Walk.hidden[id(self)] if self.veiled else 0
        shade = int(self.total * 7 + 31 * self.drawn + max(0, self.camera) + veil)
        return np.full((2, 2, 3), shade % 251, np.uint8)

    def close(self) -> None:
        self.closed = True
        Walk.hidden.pop(id(self), None)


def recorded(turns: int = 60, **kind: bool) -> Unit:
    """A walk of so many turns, as it is recorded."""
    env = Walk(**kind)
    first = plain(env.reset(seed=3)[0])
    taken = []
    for turn in range(turns):
        obs, reward, *_ = env.step(turn % 3)
        taken.append([turn % 3, reward, 0, plain(obs)])
    env.close()
    return Unit(reset={"seed": 3}, first=first, turns=taken)


def fresh(**kind: bool) -> SingleSim:
    """An environment that stands just before the reset."""
    sim = SingleSim(Walk(**kind))
    sim.turn = -1
    return sim


def seeker_of(turns: int = 60, *, keyframes: int = 8, standing: int = 4, **kind: bool) -> Seeker:
    """A seeker of a recorded walk that has not been played yet."""
    unit = recorded(turns, **kind)
    return Seeker(unit, lambda: fresh(**kind), keyframes=keyframes, standing=standing)


def played(seeker: Seeker) -> Seeker:
    """The seeker after the walk was played for the first time; every turn counts as slow."""
    sim = seeker._fresh()
    assert seeker.begin(sim) == []
    while sim.turn < seeker.turns:
        assert sim.step(seeker.unit) == []
        seeker.passed(sim, 1.0)
    seeker.played(sim)
    return seeker
