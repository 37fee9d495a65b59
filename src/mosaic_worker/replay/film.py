"""Frames of environments whose drawing leaves traces: they depend on which ones were drawn before.

A spaceship whose smoke thins out with every frame, a taxi that turns when it is drawn. Such a unit is
drawn once, every turn from its reset on, and the frames are kept, compressed and up to a bound. So each
turn looks the same whichever way one gets to it.
"""

from __future__ import annotations

import time
import zlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

if TYPE_CHECKING:
    from mosaic_worker.replay.sims import Found, Sim
    from mosaic_worker.replay.units import Unit

__all__ = ["Film", "Reel", "known_to_leave_traces", "leaves_traces"]

_KNOWN = frozenset({"BipedalWalker", "LunarLander", "LunarLanderContinuous", "TaxiEnv"})
_TRACELESS = ("gymnasium.envs.mujoco", "ale_py")
_PLAIN = (int, float, str, bool, type(None))

Drawn = Tuple[Any, "Found"]


class Reel:
    """Frames by their turn, compressed, up to a bound: the oldest go first.

    Args:
        limit_bytes: how much is kept.
    """

    def __init__(self, *, limit_bytes: int = 128 << 20) -> None:
        self._limit = limit_bytes
        self._bytes = 0
        self._kept: "OrderedDict[int, Tuple[bytes, Any, Any, Found]]" = OrderedDict()

    def __contains__(self, turn: int) -> bool:
        return turn in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def full(self) -> bool:
        """Whether one more frame would cost an older one, by the size of those there are."""
        return self._bytes + self._bytes // max(1, len(self._kept)) > self._limit

    def get(self, turn: int) -> Optional[Drawn]:
        """The frame after `turn` turns, and how that turn differed; None when it is not kept."""
        kept = self._kept.get(turn)
        return None if kept is None else (_unpacked(kept), kept[3])

    def keep(self, turn: int, frame: Any, found: Found) -> None:
        """Keep a frame; what is not one is left out."""
        if not hasattr(frame, "tobytes"):
            return
        data = zlib.compress(frame.tobytes(), 1)
        old = self._kept.pop(turn, None)
        self._bytes += len(data) - (0 if old is None else len(old[0]))
        self._kept[turn] = (data, frame.shape, frame.dtype, found)
        while self._bytes > self._limit and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._bytes -= len(gone[0])

    def clear(self) -> None:
        """Let the frames go."""
        self._kept.clear()
        self._bytes = 0


class Film:
    """Every turn of a unit, drawn in order.

    Args:
        unit: the unit.
        fresh: makes an environment that stands just before the unit's reset.
        limit_bytes: how much is kept, compressed; the oldest go first and are drawn anew when asked for.
    """

    def __init__(self, unit: Unit, fresh: Callable[[], Sim], *, limit_bytes: int = 128 << 20) -> None:
        self.unit = unit
        self._fresh = fresh
        self._reel = Reel(limit_bytes=limit_bytes)
        self._sim: Optional[Sim] = None

    @property
    def complete(self) -> bool:
        """Whether the last turn has been drawn."""
        return self._sim is not None and self._sim.turn >= len(self.unit.turns)

    def frame(self, turn: int) -> Drawn:
        """The frame after `turn` turns, and how that turn differed."""
        kept = self._reel.get(turn)
        if kept is not None:
            return kept
        if self._sim is not None and self._sim.turn >= turn:
            self._close_sim()
        while True:
            now, frame, found = self.advance()
            if now >= turn:
                return frame, found

    def advance(self) -> Tuple[int, Any, Found]:
        """Draw the next turn."""
        if self._sim is None:
            self._sim = self._fresh()
        sim = self._sim
        found = sim.reset(self.unit) if sim.turn < 0 else sim.step(self.unit)
        frame = sim.frame("")
        self._reel.keep(sim.turn, frame, found)
        return sim.turn, frame, found

    def _close_sim(self) -> None:
        if self._sim is not None:
            self._sim.close()
            self._sim = None

    def close(self) -> None:
        """Let the environment and the frames go."""
        self._close_sim()
        self._reel.clear()


def _unpacked(kept: Any) -> Any:
    import numpy as np

    data, shape, dtype, _ = kept
    return np.frombuffer(zlib.decompress(data), dtype=dtype).reshape(shape)


def known_to_leave_traces(core: Any) -> bool:
    """Whether an environment is one of those whose drawing is known to change what is drawn next."""
    return type(core).__name__ in _KNOWN


def leaves_traces(at: Callable[[int], Sim], turns: int, *, secs: float = 0.3, looks: int = 6) -> bool:
    """Whether drawing changes what is drawn next. Known ones aside, tried at a few turns for a short time.

    Args:
        at: the environment after so many turns.
        turns: how many there are.
        secs: how long to try, at most.
        looks: at how many turns.
    """
    until = time.monotonic() + secs
    for turn in _spread(turns, looks):
        sim = at(turn)
        kind = type(sim.core)
        if known_to_leave_traces(sim.core):
            return True
        if kind.__module__.startswith(_TRACELESS):
            return False
        sim.frame("")  # the first one opens windows and loads images
        before = _attributes(sim.core)
        first, second = sim.frame(""), sim.frame("")
        if not hasattr(first, "tobytes"):
            return False
        if first.tobytes() != second.tobytes() or _attributes(sim.core) != before:
            return True
        if time.monotonic() > until:
            break
    return False


def _spread(turns: int, looks: int) -> List[int]:
    return sorted({turns * k // max(1, looks - 1) for k in range(looks)})


def _attributes(core: Any) -> Dict[str, Any]:
    """What can be seen at a glance of an environment: its plain values, and how long its lists are."""
    found = {}
    for name, value in vars(core).items():
        if isinstance(value, _PLAIN):
            found[name] = value
        elif isinstance(value, (list, dict, set)):
            found[name] = len(value)
    return found
