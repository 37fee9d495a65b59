"""What a session came to, seat by seat: episodes, returns with their interval, how often people stepped in.

Read from the record of its run: who decided stands in the first decision of each episode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mosaic.analysis import scores
from mosaic.protocol.events import DECISION

if TYPE_CHECKING:
    from mosaic.analysis.bootstrap import Figure
    from mosaic.protocol.rows import EpisodeRow
    from mosaic.store.reader import StoreReader

__all__ = ["ALONE", "SeatResult", "results_of"]

ALONE = "agent"
"""The seat of an environment that has only one."""
_CUT = ("", "cut")


class SeatResult(NamedTuple):
    """One seat over all episodes of a session."""

    seat: str
    operators: tuple[str, ...]
    """Who sat there, in the order they came."""
    returns: tuple[float, ...]
    """Of the episodes that were played to their end."""
    cut: int
    """How many episodes were cut before theirs."""
    length: float | None
    """The mean of the steps of those that were."""
    iqm: Figure | None
    mean: Figure | None
    corrected: int
    """How many decisions somebody replaced."""


class _Told(msgspec.Struct):
    """What is read of a decision."""

    episode_id: str | None = None
    agent_id: str | None = None
    operator: str | None = None
    verdict: str | None = None


def results_of(reader: StoreReader) -> tuple[SeatResult, ...]:
    """What a session came to so far.

    Args:
        reader: the store of its run.
    """
    rows = {row.episode_id: row for row in reader.episodes()}
    seats: dict[str, list[EpisodeRow]] = {}
    operators: dict[str, dict[str, None]] = {}
    corrected: dict[str, int] = {}
    seat_of: dict[str, str] = {}
    for event in reader.events(DECISION):
        told = msgspec.json.decode(event.data, type=_Told)
        row = rows.get(told.episode_id or "")
        if row is None:
            continue
        seat = seat_of.setdefault(row.episode_id, told.agent_id or row.agent_id or ALONE)
        if told.operator:
            operators.setdefault(seat, {})[told.operator] = None
        corrected[seat] = corrected.get(seat, 0) + (told.verdict == "replace")
    for row in rows.values():
        seats.setdefault(seat_of.get(row.episode_id, row.agent_id or ALONE), []).append(row)
    return tuple(
        _result(seat, tuple(operators.get(seat, ())), episodes, corrected.get(seat, 0))
        for seat, episodes in sorted(seats.items())
    )


def _result(seat: str, operators: tuple[str, ...], episodes: list[EpisodeRow], corrected: int) -> SeatResult:
    whole = [one for one in episodes if (one.outcome or "") not in _CUT]
    returns = tuple(one.return_ for one in whole)
    return SeatResult(
        seat=seat,
        operators=operators,
        returns=returns,
        cut=sum(one.outcome == "cut" for one in episodes),
        length=sum(one.steps for one in whole) / len(whole) if whole else None,
        iqm=scores.iqm(returns) if returns else None,
        mean=scores.mean(returns) if returns else None,
        corrected=corrected,
    )
