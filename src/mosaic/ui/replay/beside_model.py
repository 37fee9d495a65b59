"""An original episode and its branch on one timeline: what they share, where they part. Qt-free, pure.

Frames are numbered as the transport does: 0 after the reset, n after the n-th step. Of two episodes of
different length the shorter one stands still on its last frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mosaic.analysis.parting import RESET
from mosaic.protocol.branches import branches_of, branching_point
from mosaic.text import count, number, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from mosaic.analysis.parting import Parting
    from mosaic.protocol.runs import RunRow

__all__ = ["Counterpart", "Pair", "Track", "counterparts", "seats_of_text"]

_WHAT = {
    "action": "another action",
    "reward": "another reward",
    "observation": "another observation",
    "ended": "one of them ends",
    "end": "one of them ends",
}


@dataclass(frozen=True, kw_only=True)
class Counterpart:
    """A run whose episode can be shown beside the open one."""

    run_id: str
    name: str
    original: bool
    """Whether it is the original, and the open one the branch."""
    step: int
    """Where the branch begins."""

    @property
    def title(self) -> str:
        """For a list to choose from."""
        what = "Original" if self.original else "Branch"
        return f"{what}: {visible(self.name) or self.run_id}, from step {count(self.step)}"


def counterparts(rows: Iterable[RunRow], run_id: str | None, episode: int | None) -> list[Counterpart]:
    """Whom an episode can be shown beside: its original first, then its branches, the newest first."""
    known = {row.run_id: row for row in rows}
    mine = known.get(run_id or "")
    if mine is None or run_id is None or episode is None:
        return []
    found = []
    point = branching_point(mine)
    if point is not None and mine.parent in known:
        parent = known[mine.parent]
        found.append(Counterpart(run_id=parent.run_id, name=parent.name, original=True, step=point[1]))
    for row in branches_of(known.values(), run_id, episode):
        at = branching_point(row)
        if at is not None:
            found.append(Counterpart(run_id=row.run_id, name=row.name, original=False, step=at[1]))
    return found


@dataclass(frozen=True, kw_only=True)
class Track:
    """One of the two episodes."""

    run_id: str
    name: str
    episode: int
    rewards: npt.NDArray[np.float64]
    outcome: str = ""
    """How it ended; empty while it goes on."""

    @property
    def last(self) -> int:
        """The number of its last frame."""
        return len(self.rewards)

    def frame(self, position: int) -> int:
        """Its frame when the timeline stands there."""
        return min(max(0, position), self.last)

    def returned(self, position: int) -> float:
        """The sum of its rewards up to there; what is not a number is passed over."""
        return float(np.nansum(self.rewards[: self.frame(position)]))

    def told(self, position: int) -> str:
        """Where it stands, for the line below its frame."""
        at = self.frame(position)
        parts = [f"step {count(at)} of {count(self.last)}", f"return {number(self.returned(position))}"]
        if at == self.last and self.outcome:
            parts.append(visible(self.outcome))
        return " · ".join(parts)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """An original and its branch."""

    original: Track
    branch: Track
    branched_at: int
    """How many steps the branch took over from the original."""
    parting: Parting | None
    """The first step that differs; None when none does."""

    @property
    def last(self) -> int:
        """The number of the timeline's last frame."""
        return max(self.original.last, self.branch.last)

    @property
    def shared(self) -> int:
        """The last frame that both have alike."""
        if self.parting is None:
            return min(self.original.last, self.branch.last)
        return 0 if self.parting.step == RESET else self.parting.step

    @property
    def parts_at(self) -> int | None:
        """The first frame at which they differ: where one wants to look; None when they never do."""
        if self.parting is None:
            return None
        return 0 if self.parting.step == RESET else min(self.parting.step + 1, self.last)

    def sentence(self) -> str:
        """What the two have in common, and where it ends."""
        if self.parting is None:
            return f"They are the same, all {count(self.shared)} steps."
        if self.parting.step == RESET:
            return "They differ from the reset on."
        why = self.parting.what[:1]  # an action comes first, and explains the rest
        return f"The same up to step {count(self.shared)}, then {_WHAT.get(''.join(why), 'something else')}."


def seats_of_text(text: str) -> dict[str, str]:
    """Who goes on, as it is typed into one line: `WHO`, or `AGENT=WHO; AGENT=WHO; WHO` for several agents.

    Raises:
        ValueError: somebody is named twice, or nobody at all; the text says so.
    """
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        actor, sign, who = part.partition("=")
        named = bool(sign) and bool(actor.strip()) and not set(actor) & set(": /")
        key, value = (actor.strip(), who.strip()) if named else ("*", part)
        if key in found:
            raise ValueError(f"{'everybody' if key == '*' else key} has two operators: {found[key]}, {value}")
        if not value:
            raise ValueError(f"who decides for {key}? Write {key}=random, or another operator")
        found[key] = value
    if not found:
        raise ValueError("who goes on? Type random, or another operator")
    return found
