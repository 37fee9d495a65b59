"""Where a branch comes from: parent, episode and step. Pure: what runs recorded in, answers out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mosaic.protocol.rows import EpisodeRow
    from mosaic.protocol.runs import RunRow

__all__ = ["EPISODE_TAG", "STEP_TAG", "Origin", "branches_of", "branching_point", "origin_of"]

EPISODE_TAG, STEP_TAG = "branch.episode", "branch.step"
"""The labels of a branch that say where it begins; its parent is in its manifest."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a branch begins, as its worker recorded it."""

    parent: str
    episode: int
    step: int
    """How many steps were played as recorded."""
    episode_id: str = ""
    agent_id: str | None = None
    position: int | None = None
    """Of the episode in a vector environment that was branched as a whole."""
    path: list[str] = []
    """Where the parent's own modules lie: a branch's program is ours, and stands elsewhere."""
    nth: int | None = None
    """Which of the branch's episodes of that agent and position goes on; None: the last of them."""

    def twin(self, rows: Iterable[EpisodeRow]) -> int | None:
        """The index of the branch's own episode that begins as the parent's; None when it has none yet."""
        same = [
            row.index
            for row in rows
            if row.agent_id == self.agent_id and self.position in (None, row.env_index)
        ]
        if self.nth is None:
            return same[-1] if same else None
        return same[self.nth] if 0 <= self.nth < len(same) else None


def origin_of(args: Mapping[str, Any]) -> Origin | None:
    """Where a run branched off, by the settings it recorded; None when it is not a branch."""
    try:
        return msgspec.convert(args.get("branch"), Origin)
    except msgspec.ValidationError:
        return None  # a setting of that name of somebody else's


def branching_point(row: RunRow) -> tuple[int, int] | None:
    """The parent's episode and step a run branched off at, by its labels; None when it is not a branch."""
    try:
        return int(row.tags[EPISODE_TAG]), int(row.tags[STEP_TAG])
    except (KeyError, ValueError):
        return None


def branches_of(rows: Iterable[RunRow], run_id: str, episode: int) -> list[RunRow]:
    """The runs that branched off an episode, the newest first."""
    found = [
        row for row in rows if row.parent == run_id and (branching_point(row) or (None, None))[0] == episode
    ]
    return sorted(found, key=lambda row: row.created, reverse=True)
