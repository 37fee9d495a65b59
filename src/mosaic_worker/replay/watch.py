"""What an environment depends on besides its record, as far as that shows while it is played.

Global generators that moved are seen by comparing their states; the clock and the operating system's
randomness by watching the calls an environment makes, which is slow and done only to name a cause.
"""

from __future__ import annotations

import random
import sys
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Set

if TYPE_CHECKING:
    import types

__all__ = ["calls", "global_generators", "moved"]

_CLOCK = frozenset({"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"})
_NOW = frozenset({"now", "utcnow", "today"})
_SEEDING = "seeding.py"
_MAX_FRAMES = 64


def global_generators() -> Dict[str, int]:
    """A checksum of the state of each global generator there is."""
    found = {"random": hash(random.getstate())}
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        _, keys, position, has_gauss, cached = numpy.random.get_state()
        found["numpy"] = hash((zlib.crc32(keys.tobytes()), position, has_gauss, cached))
    torch: Any = sys.modules.get("torch")
    if hasattr(torch, "get_rng_state"):
        found["torch"] = zlib.crc32(torch.get_rng_state().numpy().tobytes())
    return found


def moved(before: Dict[str, int]) -> List[str]:
    """The global generators that somebody has drawn from since."""
    return [name for name, state in global_generators().items() if before.get(name, state) != state]


@contextmanager
def calls(core: Callable[[], Any]) -> Iterator[Set[str]]:
    """What an environment asks the system for in here: `clock`, `entropy`.

    Args:
        core: the environment, whose own methods have to be among the callers.
    """
    seen: Set[str] = set()

    def profile(frame: types.FrameType, event: str, function: Any) -> None:
        if event != "c_call":
            return
        kind = _kind(function)
        if kind and kind not in seen and _is_asked_by(core(), frame):
            seen.add(kind)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield seen
    finally:
        sys.setprofile(before)


def _kind(function: Any) -> str:
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "")
    owner = getattr(getattr(function, "__self__", None), "__module__", "")
    if (module == "time" and name in _CLOCK) or (owner == "datetime" and name in _NOW):
        return "clock"
    return "entropy" if name == "urandom" else ""


def _is_asked_by(core: Any, frame: Any) -> bool:
    """Whether the environment itself asks, and not the library that seeds its generator for it."""
    found = False
    for _ in range(_MAX_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_filename.endswith(_SEEDING):
            return False
        found = found or frame.f_locals.get("self") is core
        frame = frame.f_back
    return found
