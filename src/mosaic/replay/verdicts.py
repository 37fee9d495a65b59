"""What a replay came to, and which ways there are to try. Pure.

The ladder: an episode alone; on a difference, the chain of episodes from the last seeded reset to it, for
environments that carry something over a reset; then the chain from the environment's first reset. Where the
script may have given tensors, the episode alone with tensors comes second. Each
again in an environment that is not made to be drawn, since some behave otherwise when they are. When no
way is exact, the verdict says what differed.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["CANNOT", "DIVERGED", "EXACT", "Verdict", "Way", "differing", "ways"]

EXACT, DIVERGED, CANNOT = "exact", "diverged", "cannot"
_ALONE = "alone"
_TENSORS = "alone, actions as tensors"
_FROM_SEED = "chain from the seeded reset"
_FROM_FIRST = "chain from the first reset"


class Way(msgspec.Struct, frozen=True):
    """One way to a unit: from which one on to play, and whether the environment is made to be drawn.

    With `tensors`, arrays in actions are given as tensors.
    """

    name: str
    start: int
    drawn: bool = True
    tensors: bool = False


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a replay of one episode came to.

    `step` is the recorded step that came out otherwise, -1 for the reset; `what` differed, `recorded` then
    and `now`. `way` is how it was replayed, from unit `start` of its environment on; `reason` says in words
    why it cannot be, or what may be the cause.
    """

    episode: int
    episode_id: str
    status: str
    steps: int = 0
    way: str = ""
    start: int = 0
    step: int | None = None
    what: str = ""
    recorded: str = ""
    now: str = ""
    reason: str = ""
    notes: list[str] = []

    @property
    def exact(self) -> bool:
        """Whether every observation, reward and flag came out bit for bit as recorded."""
        return self.status == EXACT

    def sentence(self) -> str:
        """The verdict in words."""
        if self.status == EXACT:
            return f"exact ({self.way})"
        if self.status == CANNOT:
            return f"cannot be replayed: {self.reason}"
        where = "its reset" if self.step == -1 else f"step {self.step}"
        text = f"diverged at {where}: {self.what} was {self.recorded}, is {self.now}"
        return f"{text} ({self.reason})" if self.reason else text


def ways(
    number: int,
    *,
    called: bool,
    seeded: bool,
    last_seeded: Callable[[], int],
    tensors: bool = False,
    preferred: str = "",
) -> Iterator[Way]:
    """The ways to replay unit `number`, in the order they are tried, each worked out when it is asked for.

    Args:
        number: which unit of its environment.
        called: whether the unit begins with a reset at all.
        seeded: whether that reset was given a seed.
        last_seeded: finds the last unit before it whose reset was given a seed, or 0. Dear; asked at most
            once, and only when no way before it was exact.
        tensors: whether the script may have given its actions as tensors.
        preferred: the name of the way that worked before: tried first.
    """
    starts: dict[str, Callable[[], int]] = {}
    if called or number == 0:
        starts[_ALONE] = lambda: number
        if tensors:
            starts[_TENSORS] = lambda: number
    if number > 0:
        if not (called and seeded):
            starts[_FROM_SEED] = functools.cache(last_seeded)
        starts[_FROM_FIRST] = lambda: 0
    rungs = [(name, True) for name in starts] + [(name, False) for name in starts]
    for name, drawn in sorted(rungs, key=lambda rung: _named(*rung) != preferred):
        start = starts[name]()
        if name != _FROM_SEED or 0 < start < number:
            yield Way(_named(name, drawn), start, drawn, name == _TENSORS)


def _named(name: str, drawn: bool) -> str:
    return name if drawn else f"{name}, not drawn"


def differing(difference: dict[str, Any]) -> dict[str, Any]:
    """The fields of a verdict that say what differed."""
    return {name: str(difference.get(name, "")) for name in ("what", "recorded", "now")}
