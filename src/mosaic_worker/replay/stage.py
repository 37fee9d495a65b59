"""Where units are played: attempts from a start to a target, then frames of any turn of the target.

An attempt plays `start` to `target - 1` just to get there, and compares every turn of the target with what
was recorded. An attempt that goes on where the last one ended plays nothing twice.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Tuple

from mosaic_worker.replay import watch
from mosaic_worker.replay.film import Film, leaves_traces
from mosaic_worker.replay.seek import Seeker
from mosaic_worker.replay.sims import Found, Sim, SingleSim, VectorSim

if TYPE_CHECKING:
    from mosaic_worker.replay.build import Builder
    from mosaic_worker.replay.compare import Difference
    from mosaic_worker.replay.units import Unit

__all__ = ["Attempted", "Stage", "make_sim"]

Progress = Callable[[int, int], None]

_OPENING_SECS = 0.5
_FILMING_SECS = 10.0
_SLICE_SECS = 0.005
_PROBED_TURNS = 5_000


class Attempted:
    """How an attempt went: for whoever something came out otherwise, the turn and the first difference.

    Turn -1 is the reset, turn k the k-th step, counted from 0.
    """

    def __init__(self) -> None:
        self.differences: Dict[str, Tuple[int, Difference]] = {}

    def add(self, turn: int, found: Found) -> None:
        """Note differences; only the first of each counts."""
        for whose, one in found:
            self.differences.setdefault(whose, (one.get("at", turn), one))


class Stage:
    """Plays the units of one environment."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.units: Dict[int, Unit] = {}
        self.seeker: Optional[Seeker] = None
        self._live: Optional[Sim] = None
        self._stands = (-1, -1)
        """The start the live environment was played from, and the unit it stands before."""
        self._tensors = False
        self._idle: Optional[Iterator[None]] = None
        self._film: Optional[Film] = None

    def attempt(
        self, start: int, target: int, progress: Progress, *, seekable: bool, tensors: bool = False
    ) -> Attempted:
        """Play from a fresh environment at `start` to the end of `target`, and compare the target.

        With `seekable`, frames may be asked for afterwards. With `tensors`, actions are given as torch's.
        """
        self._tensors = tensors
        sim, self._live = self._live, None
        self._close_seeker()
        if sim is None or self._stands != (start, target):
            if sim is not None:
                sim.close()
            sim = self._fresh(start, target, progress)
        self._stands = (-1, -1)
        unit = self.units[target]
        draws = seekable and self.builder.frames
        seeker = Seeker(unit, lambda: self._fresh(start, target, _silent), draws=draws)
        if not seekable or not unit.turns:
            seeker.drop_keyframes()
        attempted = self._play(sim, unit, seeker, progress)
        if not seekable:
            self._live, self._stands = sim, (start, target + 1) if sim.turn == len(unit.turns) else (-1, -1)
            return attempted
        seeker.played(sim)
        self.seeker = seeker
        if attempted.differences:
            seeker.drop_keyframes()
        else:
            seeker.prove()
        self._open_up(start, target, progress)
        return attempted

    def _open_up(self, start: int, target: int, progress: Progress) -> None:
        """Make every turn quick to get at, as far as a short time allows; the rest in idle moments."""
        seeker = self.seeker
        if seeker is None or not self.builder.frames:
            return
        single = self.builder.kind == "single"
        if single and _safely_true(lambda: leaves_traces(lambda turn: seeker.at(turn)[0], seeker.turns)):
            self._film = Film(seeker.unit, lambda: self._fresh(start, target, _silent))
            self._idle = _filming(self._film)
            secs = _FILMING_SECS
        else:
            self._idle = seeker.spread(_SLICE_SECS)
            secs = _OPENING_SECS
        until, steps = time.monotonic() + secs, 0
        while time.monotonic() < until and self.idle():
            steps += 1
            progress(min(steps, seeker.turns), seeker.turns)

    def probe(self, target: int, progress: Progress) -> List[str]:
        """What the environment depends on besides its record, seen while it plays to its first difference."""
        before = watch.global_generators()
        unit = self.units[target]
        sim = self._fresh(target, target, progress)
        try:
            with watch.calls(lambda: sim.core) as seen:
                found = _safely(lambda: sim.reset(unit))
                while not found and sim.turn < min(len(unit.turns), _PROBED_TURNS):
                    found = _safely(lambda: sim.step(unit))
                    progress(sim.turn, len(unit.turns))
        finally:
            sim.close()
        return [*watch.moved(before), *sorted(seen)]

    def idle(self) -> bool:
        """Use a moment nobody asks for anything. Whether there is more to do."""
        if self._idle is None:
            return False
        try:
            next(self._idle)
        except StopIteration:
            self._idle = None
        except Exception:  # noqa: BLE001  (what fails in an idle moment fails again when it is asked for)
            self._idle = None
        return self._idle is not None

    def draw(self, turn: int, focus: str) -> Tuple[Any, Found]:
        """The frame after `turn` turns of the target (0: after its reset), and how that turn differs."""
        if self.seeker is None:
            raise RuntimeError("no unit is open")
        if self._film is not None:
            return self._film.frame(max(0, min(turn, self.seeker.turns)))
        sim, found = self.seeker.at(max(0, min(turn, self.seeker.turns)))
        return sim.frame(focus), found

    def close(self) -> None:
        """Let every environment go."""
        self._close_seeker()
        if self._live is not None:
            self._live.close()
            self._live = None

    def _close_seeker(self) -> None:
        self._idle = None
        if self.seeker is not None:
            self.seeker.close()
            self.seeker = None
        if self._film is not None:
            self._film.close()
            self._film = None

    # ---- playing ----

    def _fresh(self, start: int, target: int, progress: Progress) -> Sim:
        """A new environment that has been through everything from `start` to just before the target."""
        sim = make_sim(self.builder)
        sim.tensors = self._tensors
        for number in range(start, target):
            unit = self.units[number]
            sim.reset(unit)
            while sim.turn < len(unit.turns):
                sim.step(unit)
                progress(sim.turn, len(unit.turns))
        sim.turn = -1
        return sim

    def _play(self, sim: Sim, unit: Unit, seeker: Seeker, progress: Progress) -> Attempted:
        attempted = Attempted()
        single = isinstance(sim, SingleSim)
        attempted.add(-1, _safely(lambda: seeker.begin(sim)))
        seeker.passed(sim, math.inf)
        while sim.turn < len(unit.turns) and not (single and attempted.differences):
            turn, before = sim.turn, time.perf_counter()
            attempted.add(turn, _safely(lambda: sim.step(unit)))
            if sim.turn == turn:
                break  # it raised: there is no going on
            seeker.passed(sim, time.perf_counter() - before)
            progress(sim.turn, len(unit.turns))
        return attempted


def make_sim(builder: Builder) -> Sim:
    """A new environment, to be played in its way."""
    env = builder.make()
    if builder.kind == "single":
        return SingleSim(env)
    if builder.kind == "vector":
        return VectorSim(env)
    from mosaic_worker.replay import zoo

    return zoo.AecSim(env) if builder.kind == "aec" else zoo.ParallelSim(env)


def _safely(act: Callable[[], Found]) -> Found:
    """What an environment raises is a way to differ: a recorded turn did not raise."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001  (an environment may raise anything)
        said = f"{type(error).__name__}: {error}"
        return [("", {"what": "raised", "recorded": "no error", "now": said[:300]})]


def _safely_true(ask: Callable[[], bool]) -> bool:
    try:
        return ask()
    except Exception:  # noqa: BLE001  (it cannot be drawn, or not be replayed: asking for a frame says so again)
        return False


def _filming(film: Film) -> Iterator[None]:
    while not film.complete:
        film.advance()
        yield


def _silent(_done: int, _total: int) -> None:
    pass
