"""Where units are played: attempts from a start to a target, then frames of any turn of the target.

An attempt plays `start` to `target - 1` just to get there, and compares every turn of the target with what
was recorded. An attempt that goes on where the last one ended plays nothing twice.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Tuple

from mosaic_worker.replay import watch
from mosaic_worker.replay.film import Film, Reel, known_to_leave_traces, leaves_traces
from mosaic_worker.replay.seek import Seeker
from mosaic_worker.replay.sims import Found, Sim, SingleSim, VectorSim
from mosaic_worker.scenes.by_id import scene_of

if TYPE_CHECKING:
    from mosaic_worker.common.scene import Scene
    from mosaic_worker.replay.build import Builder
    from mosaic_worker.replay.compare import Difference
    from mosaic_worker.replay.units import Unit

__all__ = ["Attempted", "Stage", "make_sim"]

Progress = Callable[[int, int], None]
Witness = Callable[[int, Any], None]

_OPENING_SECS = 0.5
_FILMING_SECS = 15.0
_SLICE_SECS = 0.005
_DEAR_SECS = 0.03
_QUIET_SECS = 0.5
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
        self._witness: Optional[Witness] = None
        self._reel = Reel()
        """Frames of an environment whose drawing leaves no traces, where getting to them again is dear."""
        self._drawn_secs = 0.0
        self._asked_at = -math.inf
        self._idle: Optional[Iterator[None]] = None
        self._film: Optional[Film] = None

    def attempt(
        self,
        start: int,
        target: int,
        progress: Progress,
        *,
        seekable: bool,
        tensors: bool = False,
        witness: Optional[Witness] = None,
    ) -> Attempted:
        """Play from a fresh environment at `start` to the end of `target`, and compare the target.

        With `seekable`, frames may be asked for afterwards. With `tensors`, actions are given as torch's. The
        `witness` is shown the turn (0: the reset) and each observation of a target with one actor.
        """
        self._tensors, self._witness = tensors, witness
        self._drawn_secs = 0.0 if seekable and self.builder.frames else math.inf
        attempted = self._attempt(start, target, progress, seekable=seekable)
        if (
            attempted.differences and 0.0 < self._drawn_secs < math.inf
        ):  # perhaps only because it was drawn on the way
            self._drawn_secs = math.inf
            attempted = self._attempt(start, target, progress, seekable=seekable)
        return attempted

    def _attempt(self, start: int, target: int, progress: Progress, *, seekable: bool) -> Attempted:
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
            self._reel.clear()
            self._film = Film(seeker.unit, lambda: self._fresh(start, target, _silent))
            self._idle = _filming(self._film)
            secs = _FILMING_SECS
        else:
            self._idle = self._prepare(seeker, single=single)
            secs = _OPENING_SECS
        until, steps = time.monotonic() + secs, 0
        while time.monotonic() < until and self.idle():
            steps += 1
            progress(min(steps, seeker.turns), seeker.turns)

    def _prepare(self, seeker: Seeker, *, single: bool) -> Iterator[None]:
        """For idle moments: environments along the way, and frames that take long to draw, drawn ahead."""
        if len(self._reel) <= seeker.turns:  # else every turn is on it
            for _ in seeker.spread(_SLICE_SECS):
                yield
        for turn in _halving(seeker.turns) if single else ():
            if turn in self._reel:
                continue
            while time.monotonic() - self._asked_at < _QUIET_SECS:  # whoever looks around now must not wait
                time.sleep(_SLICE_SECS)
                yield
            if self._reel.full or not self._drawn_dear(turn):
                return
            yield

    def _drawn_dear(self, turn: int) -> bool:
        """Draw a turn and keep it: whether it took long."""
        before = time.perf_counter()
        self._drawn(turn, "")
        return time.perf_counter() - before > _DEAR_SECS

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
        turn = max(0, min(turn, self.seeker.turns))
        self._asked_at = time.monotonic()
        if self._film is not None:
            return self._film.frame(turn)
        return self._reel.get(turn) or self._drawn(turn, focus)

    def _drawn(self, turn: int, focus: str) -> Tuple[Any, Found]:
        """Get to a turn and draw it; kept when that took long."""
        if self.seeker is None:
            raise RuntimeError("no unit is open")
        before = time.perf_counter()
        sim, found = self.seeker.at(turn)
        frame = sim.frame(focus)
        if self.builder.kind == "single" and time.perf_counter() - before > _DEAR_SECS:
            self._reel.keep(turn, frame, found)
        return frame, found

    def has_scene(self) -> bool:
        """Whether scenes of the target can be had."""
        seeker = self.seeker
        return seeker is not None and _safely_true(lambda: scene_of(seeker.anywhere().env) is not None)

    def scene(self, turn: int) -> Tuple[Optional[Scene], Found]:
        """What is there after `turn` turns of the target, without drawing it, and how that turn differs."""
        if self.seeker is None:
            raise RuntimeError("no unit is open")
        self._asked_at = time.monotonic()
        sim, found = self.seeker.at(max(0, min(turn, self.seeker.turns)))
        return sim.scene(self.seeker.unit), found

    def close(self) -> None:
        """Let every environment go."""
        self._close_seeker()
        if self._live is not None:
            self._live.close()
            self._live = None

    def _close_seeker(self) -> None:
        self._idle = None
        self._reel.clear()
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
        self._show(sim)
        seeker.passed(sim, math.inf)
        self._film_on_the_way(sim, seeker)
        while sim.turn < len(unit.turns) and not (single and attempted.differences):
            turn, before = sim.turn, time.perf_counter()
            attempted.add(turn, _safely(lambda: sim.step(unit)))
            if sim.turn == turn:
                break  # it raised: there is no going on
            self._show(sim)
            seeker.passed(sim, time.perf_counter() - before)
            self._film_on_the_way(sim, seeker)
            progress(sim.turn, len(unit.turns))
        return attempted

    def _show(self, sim: Sim) -> None:
        if self._witness is not None and isinstance(sim, SingleSim):
            self._witness(sim.turn, sim.world.now.observation)

    def _film_on_the_way(self, sim: Sim, seeker: Seeker) -> None:
        """Draw a turn while it is there, of an environment that cannot be copied: to get there again is dear.

        Up to a time. Of those whose drawing is known to leave traces a film is made afterwards.
        """
        dear = not seeker.copyable and isinstance(sim, SingleSim) and not known_to_leave_traces(sim.core)
        if not dear or not 0 <= self._drawn_secs < _FILMING_SECS or self._reel.full:
            return
        before = time.perf_counter()
        try:
            self._reel.keep(sim.turn, sim.frame(""), sim.found)
        except Exception:  # noqa: BLE001  (it cannot be drawn: asking for a frame says so again)
            self._drawn_secs = math.inf
        self._drawn_secs += time.perf_counter() - before


def make_sim(builder: Builder) -> Sim:
    """A new environment, to be played in its way."""
    env = builder.make()
    if builder.kind == "single":
        return SingleSim(env)
    if builder.kind == "vector":
        return VectorSim(env)
    if builder.kind == "dicts":
        from mosaic_worker.replay.dicts import DictSim

        return DictSim(env)
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


def _halving(turns: int) -> Iterator[int]:
    """Every turn once, each next one far from those before: a half, the quarters, the eighths."""
    bits = max(1, turns.bit_length())
    for count in range(1 << bits):
        turn = int(format(count, f"0{bits}b")[::-1], 2)
        if turn <= turns:
            yield turn


def _filming(film: Film) -> Iterator[None]:
    while not film.complete:
        film.advance()
        yield


def _silent(_done: int, _total: int) -> None:
    pass
