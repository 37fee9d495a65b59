"""Any turn of one unit, quickly: from a keyframe, from an environment that stands near, or from the start.

Keyframes are snapshots of one environment, taken while the unit was played; `prove` tests that they lead to
what playing on led to, and drops them otherwise. Where an environment cannot be copied, a few of them stand
along the way.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Tuple

from mosaic_worker.replay.keyframes import Keyframe, capture

if TYPE_CHECKING:
    from mosaic_worker.replay.sims import Found, Sim
    from mosaic_worker.replay.units import Unit

__all__ = ["Seeker"]

_TRIALS = 3
_NOWHERE = 1 << 60  # the turn of an environment that is good for nothing until a keyframe is put back
_DEAR = 4  # a snapshot may take this many times the stepping it saves


class Seeker:
    """Finds its way to the turns of one unit.

    Args:
        unit: the unit.
        fresh: makes an environment that stands just before the unit's reset (turn -1).
        draws: whether frames will be asked for.
        keyframes: how many snapshots are kept, at most; beyond, every second one goes.
        keyframe_secs: about how much stepping may lie between two snapshots.
        standing: how many environments are kept, at most.
    """

    def __init__(
        self,
        unit: Unit,
        fresh: Callable[[], Sim],
        *,
        draws: bool = True,
        keyframes: int = 64,
        keyframe_secs: float = 0.005,
        standing: int = 8,
    ) -> None:
        self.unit = unit
        self.copyable = True
        self.draws = draws
        self._fresh = fresh
        self._most = keyframes
        self._gap_secs = keyframe_secs
        self._since_secs = 0.0
        self._standing_most = standing
        self._keyframes: List[Keyframe] = []
        self._copied: Optional[Sim] = None
        self._sims: List[Sim] = []

    @property
    def turns(self) -> int:
        """How many turns the unit has."""
        return len(self.unit.turns)

    # ---- while the unit is played for the first time ----

    def begin(self, sim: Sim) -> Found:
        """Reset an environment, and draw it once.

        A camera that is placed at the first frame is placed there, whichever turn is asked for first.
        """
        found = sim.reset(self.unit)
        if self.draws:
            _bytes_of(sim)
        return found

    def passed(self, sim: Sim, secs: float) -> None:
        """The environment went on by a turn that took so long: perhaps keep a snapshot of where it stands."""
        self._since_secs += secs
        if not self.copyable or self._since_secs < self._gap_secs or sim.turn >= self.turns:
            return
        self._since_secs = 0.0
        before = time.thread_time()  # our own work: a busy machine makes no snapshot dear
        found = capture(sim)
        if found is None or time.thread_time() - before > _DEAR * self._gap_secs:
            self.drop_keyframes()
            return
        self._copied = sim
        self._keyframes.append(found)
        if len(self._keyframes) > self._most:
            del self._keyframes[1::2]
            self._gap_secs *= 2

    def played(self, sim: Sim) -> None:
        """The first time is over; the environment stands at the end, and is ours now."""
        self._sims.append(sim)

    def prove(self) -> bool:
        """Whether keyframes tell the truth: the last one must lead to the same values and frame.

        Some do not: a simulator may keep something back (an emulator its last action). Each is watched when
        it is used; here it shows whether any can be.
        """
        sim = self._copied
        if sim is None or not self._keyframes:
            return False
        wanted = _bytes_of(sim)
        for keyframe in self._keyframes[: -_TRIALS - 1 : -1]:
            keyframe.put_back(sim)
            true = True
            while sim.turn < self.turns and true:
                true = not sim.step(self.unit)
            if true and _bytes_of(sim) == wanted:
                return True
            self._keyframes.remove(keyframe)
            sim.turn = _NOWHERE
        self.drop_keyframes()
        self._let_go(sim)
        return False

    def drop_keyframes(self) -> None:
        """Do without snapshots from now on."""
        self.copyable = False
        self._keyframes, self._copied = [], None

    # ---- afterwards ----

    def at(self, turn: int) -> Tuple[Sim, Found]:
        """The environment after `turn` turns (0: after the reset), and how its last turn differs."""
        keyframe = self._keyframe_for(turn)
        sim = self._near(turn) if keyframe is None else self._copied
        if sim is None:
            sim = self._stand(self._fresh())
        if keyframe is not None:
            keyframe.put_back(sim)
        elif sim.turn < 0:
            self.begin(sim)
        found = sim.found
        while sim.turn < turn:
            found = sim.step(self.unit)
            if found and self._keyframes:
                return self._again(turn, keyframe, sim)
        return sim, found

    def anywhere(self) -> Sim:
        """An environment of the unit, wherever it stands."""
        return self._sims[0] if self._sims else self.at(0)[0]

    def _again(self, turn: int, keyframe: Optional[Keyframe], sim: Sim) -> Tuple[Sim, Found]:
        """A keyframe led astray, now or before: do without it and what it made of the environment."""
        if keyframe is not None:
            self._keyframes.remove(keyframe)
            sim.turn = _NOWHERE
        else:
            self._let_go(sim)
            if sim is self._copied:
                self.drop_keyframes()
        return self.at(turn)

    def _let_go(self, sim: Sim) -> None:
        if sim in self._sims:
            self._sims.remove(sim)
        sim.close()

    def _near(self, turn: int) -> Optional[Sim]:
        return max((sim for sim in self._sims if sim.turn <= turn), key=lambda sim: sim.turn, default=None)

    def _keyframe_for(self, turn: int) -> Optional[Keyframe]:
        """The nearest keyframe before a turn, unless an environment stands nearer.

        It serves only the turns after it: some simulators draw a restored state only once stepped.
        """
        near = self._near(turn)
        found = max((key for key in self._keyframes if key.turn < turn), key=lambda k: k.turn, default=None)
        return None if found is None or (near is not None and near.turn >= found.turn) else found

    def _stand(self, sim: Sim) -> Sim:
        self._sims.sort(key=lambda one: one.turn)
        others = [one for one in self._sims if one is not self._copied]
        if len(self._sims) >= self._standing_most and others:
            nearest = min(others, key=self._gap_before)
            self._sims.remove(nearest)
            nearest.close()
        self._sims.append(sim)
        return sim

    def _gap_before(self, sim: Sim) -> int:
        index = self._sims.index(sim)
        return sim.turn - (self._sims[index - 1].turn if index else -1)

    def spread(self, slice_secs: float) -> Iterator[None]:
        """Let environments stand along the way where there are no keyframes; one slice of time a turn."""
        count = (
            self._standing_most - 2
        )  # one stands at the end or wherever it was last wanted, one starts anew
        targets = [self.turns * (k + 1) // (count + 1) for k in range(count)] if not self.copyable else []
        step = self.turns // (count + 1)
        for target in reversed(targets):
            if any(target - step // 2 <= sim.turn <= target for sim in self._sims) or step == 0:
                continue
            if len(self._sims) >= self._standing_most:
                return
            sim = self._fresh()
            self._sims.append(sim)
            until = time.monotonic() + slice_secs
            self.begin(sim)
            while sim.turn < target and sim in self._sims:
                sim.step(self.unit)
                if time.monotonic() > until:
                    yield
                    until = time.monotonic() + slice_secs

    def close(self) -> None:
        """Let every environment go."""
        for sim in self._sims:
            sim.close()
        self._sims, self._keyframes, self._copied = [], [], None


def _bytes_of(sim: Sim) -> Any:
    try:
        frame = sim.frame("")
    except Exception as error:  # noqa: BLE001  (an environment that cannot be drawn is compared by its values alone)
        return type(error).__name__
    return (frame.shape, frame.tobytes()) if hasattr(frame, "tobytes") else repr(frame)
