"""The run list as it is shown: filtered, sorted, grouped, with what is being deleted left out. Qt-free."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mosaic.protocol.runs import RunState, elapsed_secs
from mosaic.text import count, number, span, speed, visible
from mosaic.ui.shell.model.signal import Signal
from mosaic.ui.shell.model.words import subtitle, title

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.protocol.runs import RunRow
    from mosaic.ui.runs.model.deletions import Deletions
    from mosaic.ui.shell.model.runs import RunList

__all__ = [
    "GROUPS",
    "SORTS",
    "Entry",
    "Header",
    "RunTable",
    "facts",
    "spoken",
]

GROUPS = {
    "none": "No groups",
    "env": "By environment",
    "algorithm": "By algorithm",
    "runner": "By runner",
    "group": "By seed group",
}
"""The ways to group, beside `tag:KEY` for each key there is."""
SORTS = {
    "newest": "Newest first",
    "name": "Name",
    "state": "State",
    "return": "Best return",
    "episodes": "Most episodes",
    "speed": "Fastest",
    "elapsed": "Longest",
}
_STATES = (
    *(RunState.RUNNING, RunState.STARTING, RunState.STOPPING, RunState.PAUSED, RunState.QUEUED),
    *(RunState.ORPHANED, RunState.UNREADABLE, RunState.FAILED, RunState.LOST),
    *(RunState.STOPPED, RunState.FINISHED),
)
"""The order of states in the list: what asks for attention first."""
_NONE = "(none)"


@dataclass(frozen=True)
class Header:
    """The line above a group."""

    key: str
    title: str
    count: int
    folded: bool


Entry = Header | str
"""One line of the list: a header, or a run by its id."""


class RunTable:
    """What the run list shows, line by line.

    Args:
        runs: all runs.
        deletions: those that are being deleted; hidden.
        clock: the time of day, for sorting by how long runs take.
    """

    def __init__(
        self, runs: RunList, deletions: Deletions, *, clock: Callable[[], float] = time.time
    ) -> None:
        self.arranging: Signal[[]] = Signal()
        """The lines are about to be other ones."""
        self.arranged: Signal[[]] = Signal()
        """The lines are other ones, or in another order."""
        self.changed: Signal[[frozenset[str]]] = Signal()
        """These runs are another way; the lines are the same."""
        self.entries: list[Entry] = []
        self.filter = ""
        self.sort = "newest"
        self.group = "none"
        self._runs, self._deletions, self._clock = runs, deletions, clock
        self._folded: set[str] = set()
        self._lines: dict[str, int] = {}
        runs.changed.connect(self._take)
        deletions.changed.connect(self.arrange)
        self.arrange()

    @property
    def run_ids(self) -> list[str]:
        """The runs that are shown, in order."""
        return [entry for entry in self.entries if isinstance(entry, str)]

    def line_of(self, run_id: str) -> int | None:
        """On which line a run is, if it is shown."""
        return self._lines.get(run_id)

    def set_filter(self, text: str) -> None:
        """Show only runs that have all these words somewhere."""
        self.filter = text
        self.arrange()

    def set_sort(self, sort: str) -> None:
        """Sort by one of SORTS; an unknown one is the first."""
        self.sort = sort if sort in SORTS else "newest"
        self.arrange()

    def set_group(self, group: str) -> None:
        """Group by one of GROUPS or by `tag:KEY`."""
        self.group = group if group in GROUPS or group.startswith("tag:") else "none"
        self.arrange()

    def fold(self, key: str) -> None:
        """Fold a group away, or open it."""
        self._folded.symmetric_difference_update({key})
        self.arrange()

    def tag_keys(self) -> list[str]:
        """Every tag there is, by name."""
        return sorted({key for row in self._runs.rows for key in row.tags})

    def arrange(self) -> None:
        """Work out the lines anew; says so only when they differ."""
        entries = self._entries()
        if entries != self.entries:
            self.arranging.emit()
            self.entries = entries
            self._lines = {entry: line for line, entry in enumerate(entries) if isinstance(entry, str)}
            self.arranged.emit()

    def _take(self, moved: frozenset[str]) -> None:
        self.arrange()
        shown = frozenset(run_id for run_id in moved if run_id in self._lines)
        if shown:
            self.changed.emit(shown)

    def _entries(self) -> list[Entry]:
        hidden, words, now = self._deletions.hidden, self.filter.casefold().split(), self._clock()
        rows = [row for row in self._runs.rows if row.run_id not in hidden and _matches(row, words)]
        if self.sort != "newest":
            rows.sort(key=lambda row: _sort_key(row, self.sort, now))  # stable: equal ones stay newest first
        if self.group == "none":
            return [row.run_id for row in rows]
        groups: dict[str, list[str]] = {}
        for row in rows:
            groups.setdefault(_group_of(row, self.group), []).append(row.run_id)
        entries: list[Entry] = []
        for key in sorted(groups, key=lambda key: (key == _NONE, key.casefold(), key)):
            folded = key in self._folded
            entries.append(Header(key, key, len(groups[key]), folded))
            entries += [] if folded else groups[key]
        return entries


def facts(row: RunRow, now: float) -> str:
    """How long, how many, how well, how fast: short."""
    parts = [span(elapsed_secs(row, now=now)), f"{count(row.episodes)} ep"]
    if row.mean_return_100 is not None:
        parts.append(f"mean {number(row.mean_return_100)}")
    if row.steps_per_sec is not None and row.ended is None:
        parts.append(f"{speed(row.steps_per_sec)}/s")
    if row.warned:
        parts.append(_warned(row))
    return " · ".join(parts)


def spoken(row: RunRow, now: float) -> str:
    """All of it in words, for the tooltip and for those who listen. Plain text."""
    lines = [
        f"{title(row)}: {row.state.value}" + (f", {visible(row.reason)}" if row.reason else ""),
        subtitle(row),
        f"{span(elapsed_secs(row, now=now))} so far"
        if row.ended is None
        else f"took {span(elapsed_secs(row, now=now))}",
        f"{count(row.episodes)} episodes, {count(row.steps)} steps",
    ]
    if row.mean_return_100 is not None:
        lines.append(f"mean return of the last 100 episodes: {number(row.mean_return_100)}")
    if row.steps_per_sec is not None:
        lines.append(f"{speed(row.steps_per_sec)} steps per second")
    if row.warned:
        lines.append(f"{_warned(row)}: see its details")
    if row.tags:
        lines.append(
            "tags: " + visible(", ".join(f"{key}={value}" for key, value in sorted(row.tags.items())))
        )
    return "\n".join([*lines, row.run_id])


def _warned(row: RunRow) -> str:
    return f"{row.warned} warning{'' if row.warned == 1 else 's'}"


def _matches(row: RunRow, words: list[str]) -> bool:
    if not words:
        return True
    tags = " ".join(f"{key}={value}" for key, value in row.tags.items())
    parts = (
        row.name,
        row.run_id,
        *row.env_ids,
        row.algorithm,
        row.runner,
        row.state.value,
        row.group or "",
        tags,
    )
    text = " ".join((*parts, title(row))).casefold()
    return all(word in text for word in words)


def _sort_key(row: RunRow, sort: str, now: float) -> tuple[bool, float, str]:
    """Small first; what is not known comes last."""
    if sort == "name":
        return (False, 0.0, title(row).casefold())
    if sort == "state":
        return (False, float(_STATES.index(row.state)), "")
    value = {
        "return": row.mean_return_100,
        "episodes": float(row.episodes),
        "speed": row.steps_per_sec,
        "elapsed": elapsed_secs(row, now=now),
    }[sort]
    known = value is not None and not math.isnan(value)
    return (not known, -value if known and value is not None else 0.0, "")


def _group_of(row: RunRow, group: str) -> str:
    if group.startswith("tag:"):
        found = row.tags.get(group[4:], "")
    else:
        found = {
            "env": ", ".join(row.env_ids),
            "algorithm": row.algorithm,
            "runner": row.runner,
            "group": row.group or "",
        }[group]
    return visible(found) or _NONE
