"""Seeking: from keyframes, from environments that stand near, from film. On a small environment."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from mosaic_worker.replay.film import Film, leaves_traces
from mosaic_worker.replay.keyframes import capture
from mosaic_worker.replay.seek import Seeker
from mosaic_worker.replay.sims import SingleSim
from mosaic_worker.replay.units import Unit
from mosaic_worker.values import plain


class Walk:
    """Adds up its actions and its luck; may hide something from copies, or change when drawn."""

    hidden: ClassVar[dict[int, float]] = {}

    def __init__(
        self, *, hides: bool = False, uncopyable: bool = False, traces: bool = False, placed: bool = False
    ) -> None:
        self.np_random = np.random.default_rng(0)
        self.hides, self.traces, self.drawn = hides, traces, 0
        self.total = 0.0
        self.placed, self.camera = placed, -1.0
        if uncopyable:
            self.lock = __import__("threading").Lock()

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
        return np.full((2, 2, 3), int(self.total * 7 + 31 * self.drawn + max(0, self.camera)) % 251, np.uint8)

    def close(self) -> None:
        Walk.hidden.pop(id(self), None)


def seeker_of(turns: int = 60, **kind: bool) -> Seeker:
    env = Walk(**kind)
    first = plain(env.reset(seed=3)[0])
    recorded = []
    for turn in range(turns):
        obs, reward, *_ = env.step(turn % 3)
        recorded.append([turn % 3, reward, 0, plain(obs)])
    env.close()
    unit = Unit(reset={"seed": 3}, first=first, turns=recorded)

    def fresh() -> SingleSim:
        sim = SingleSim(Walk(**kind))
        sim.turn = -1
        return sim

    return Seeker(unit, fresh, keyframes=8, standing=4)


def played(seeker: Seeker) -> Seeker:
    sim = seeker._fresh()
    assert seeker.begin(sim) == []
    while sim.turn < seeker.turns:
        assert sim.step(seeker.unit) == []
        seeker.passed(sim, 1.0)
    seeker.played(sim)
    return seeker


ORDER = [60, 0, 31, 30, 29, 59, 1, 17, 44, 60, 2]


@pytest.mark.parametrize(
    "kind",
    [{}, {"uncopyable": True}, {"hides": True}, {"placed": True}, {"placed": True, "uncopyable": True}],
    ids=str,
)
def test_every_turn_is_the_recorded_one_wherever_it_is_come_from(kind: dict[str, bool]) -> None:
    seeker = played(seeker_of(**kind))
    seeker.prove()
    for _ in seeker.spread(1.0):
        pass
    straight = [seeker._fresh()]
    straight[0].reset(seeker.unit)
    wanted = {0: straight[0].frame("").tobytes()}
    while straight[0].turn < seeker.turns:
        straight[0].step(seeker.unit)
        wanted[straight[0].turn] = straight[0].frame("").tobytes()
    for turn in ORDER:
        sim, found = seeker.at(turn)
        assert (sim.turn, found) == (turn, [])
        assert sim.frame("").tobytes() == wanted[turn]
    assert len(seeker._sims) <= 4
    assert len(seeker._keyframes) <= 8
    seeker.close()


def test_keyframes_of_an_environment_that_hides_something_are_not_believed() -> None:
    assert played(seeker_of()).prove()
    hiding = played(seeker_of(hides=True))
    assert not hiding.prove()
    assert not hiding.copyable


def test_what_cannot_be_copied_gives_no_keyframe() -> None:
    assert capture(SingleSim(Walk(uncopyable=True))) is None
    assert capture(SingleSim(Walk())) is not None


def test_environments_whose_drawing_leaves_traces_are_found_out_and_filmed() -> None:
    plainly, traced = played(seeker_of()), played(seeker_of(traces=True))
    assert not leaves_traces(lambda turn: plainly.at(turn)[0], 60)
    assert leaves_traces(lambda turn: traced.at(turn)[0], 60)
    film = Film(traced.unit, traced._fresh, limit_bytes=1 << 20)
    forwards = [film.frame(turn)[0].tobytes() for turn in range(61)]
    assert [film.frame(turn)[0].tobytes() for turn in ORDER] == [forwards[turn] for turn in ORDER]
    small = Film(traced.unit, traced._fresh, limit_bytes=60)
    assert [small.frame(turn)[0].tobytes() for turn in (50, 3, 60)] == [
        forwards[turn] for turn in (50, 3, 60)
    ]
    assert small._bytes <= 60
    assert film.complete
    film.close()
    small.close()
