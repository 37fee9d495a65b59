"""What a replay came to, and which ways there are to try. Pure.

The ladder: an episode alone; on a difference, the chain of episodes from the last seeded reset to it, for
environments that carry something over a reset; then the chain from the environment's first reset. Each
again in an environment that is not made to be drawn, since some behave otherwise when they are. When no
way is exact, the verdict says what differed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CANNOT", "DIVERGED", "EXACT", "Verdict", "Way", "differing", "ways"]

EXACT, DIVERGED, CANNOT = "exact", "diverged", "cannot"


class Way(msgspec.Struct, frozen=True):
    """One way to a unit: from which one on to play, and whether the environment is made to be drawn."""

    name: str
    start: int
    drawn: bool = True


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


def ways(number: int, *, called: bool, seeded: Callable[[int], bool], preferred: str = "") -> list[Way]:
    """The ways to replay unit `number`, in the order they are tried.

    Args:
        number: which unit of its environment.
        called: whether the unit begins with a reset at all.
        seeded: whether a unit's reset was given a seed.
        preferred: the name of the way that worked before: tried first.
    """
    found = [Way("alone", number)] if called or number == 0 else []
    if number > 0:
        start = next((k for k in range(number - 1, -1, -1) if seeded(k)), 0)
        if called and seeded(number):
            start = number
        if 0 < start < number:
            found.append(Way("chain from the seeded reset", start))
        found.append(Way("chain from the first reset", 0))
    found += [Way(f"{way.name}, not drawn", way.start, drawn=False) for way in found]
    return sorted(found, key=lambda way: way.name != preferred)


def differing(difference: dict[str, Any]) -> dict[str, Any]:
    """The fields of a verdict that say what differed."""
    return {name: str(difference.get(name, "")) for name in ("what", "recorded", "now")}
