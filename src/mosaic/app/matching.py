"""What a match came to: operators on copies of one environment with shared seeds, read from its one run.

Who played which episode stands in the record: the first decision of each names the seat.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mosaic.analysis import scores
from mosaic.app.parting import part_at
from mosaic.errors import UsageError
from mosaic.protocol.events import DECISION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mosaic.analysis.bootstrap import Figure
    from mosaic.analysis.scores import Paired
    from mosaic.store.reader import StoreReader

__all__ = ["Match", "Pair", "Played", "Side", "Split", "match_of"]

_FIRST = 0


class Played(NamedTuple):
    """One episode of a side."""

    episode: int
    seed: int
    returned: float
    steps: int
    outcome: str


class Side(NamedTuple):
    """One operator's episodes, by seed, and what they come to."""

    seat: str
    operator: str
    episodes: tuple[Played, ...]
    iqm: Figure | None
    """None when it ended no episode."""
    mean: Figure | None
    length: float
    """The mean of its episodes' steps."""


class Split(NamedTuple):
    """Where two operators' episodes with one seed part; `step` is None where they never do."""

    seed: int
    step: int | None
    """-1: at the reset already."""
    what: tuple[str, ...]
    episodes: tuple[int, int]


class Pair(NamedTuple):
    """Two sides compared seed by seed: the first minus the second."""

    first: str
    second: str
    paired: Paired
    splits: tuple[Split, ...]


class Match(NamedTuple):
    """A whole match."""

    sides: tuple[Side, ...]
    pairs: tuple[Pair, ...]


def match_of(reader: StoreReader, *, progress: Callable[[str], None] = lambda _: None) -> Match:
    """What a match came to.

    Args:
        reader: the store of its run.
        progress: told which comparison is made.

    Raises:
        UsageError: the run is not a match of two or more.
    """
    sides = _sides(reader)
    if len(sides) < 2:
        raise UsageError(
            "this run is not a match: it has fewer than two sides. Start one with: mosaic versus A B"
        )
    pairs = []
    for first, second in combinations(sides, 2):
        progress(f"comparing {first.seat} and {second.seat} …")
        pairs.append(_pair(reader, first, second))
    return Match(sides, tuple(pairs))


def _sides(reader: StoreReader) -> tuple[Side, ...]:
    rows = {row.episode_id: row for row in reader.episodes()}
    found: dict[str, list[Played]] = {}
    operators: dict[str, str] = {}
    for event in reader.events(DECISION, step=_FIRST):
        told = msgspec.json.decode(event.data)
        seat, row = told.get("agent_id"), rows.get(told.get("episode_id"))
        if seat is None or row is None or row.seed is None:
            continue
        operators.setdefault(seat, str(told.get("operator") or seat))
        one = Played(row.index, row.seed, row.return_, row.steps, row.outcome or "")
        found.setdefault(seat, []).append(one)
    return tuple(_side(seat, operators[seat], episodes) for seat, episodes in found.items())


def _side(seat: str, operator: str, episodes: list[Played]) -> Side:
    whole = [one for one in episodes if one.outcome not in ("", "cut")]
    returns = [one.returned for one in whole]
    return Side(
        seat,
        operator,
        tuple(episodes),
        scores.iqm(returns) if returns else None,
        scores.mean(returns) if returns else None,
        sum(one.steps for one in whole) / len(whole) if whole else 0.0,
    )


def _by_seed(episodes: Iterable[Played]) -> dict[int, Played]:
    return {one.seed: one for one in episodes}


def _pair(reader: StoreReader, first: Side, second: Side) -> Pair:
    mine, theirs = _by_seed(first.episodes), _by_seed(second.episodes)
    paired = scores.paired(_returns(mine), _returns(theirs))
    splits = []
    for seed in mine.keys() & theirs.keys():
        episodes = (mine[seed].episode, theirs[seed].episode)
        parting = part_at(reader, episodes[0], reader, episodes[1])
        splits.append(
            Split(seed, None, (), episodes)
            if parting is None
            else Split(seed, parting.step, tuple(parting.what), episodes)
        )
    return Pair(first.seat, second.seat, paired, tuple(sorted(splits)))


def _returns(episodes: dict[int, Played]) -> dict[int, float | None]:
    """By seed; an episode that was cut has none."""
    return {seed: None if one.outcome in ("", "cut") else one.returned for seed, one in episodes.items()}
