"""What a league came to: who won against whom, and what that says of everybody's strength.

Read from the records of its runs. Which game had which seating stands in the session that was asked for: the
games of a run are played in the order of its seeds and seatings, and each is one group of episodes.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mosaic.analysis.ratings import Game, rate
from mosaic.errors import StoreError
from mosaic.protocol.events import DECISION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mosaic.analysis.ratings import Ratings
    from mosaic.protocol.rows import EpisodeRow
    from mosaic.protocol.sessions import Session
    from mosaic.store.reader import StoreReader

__all__ = ["League", "Meeting", "Met", "games_of", "league_of", "schedule"]

_ENDED = ("terminated", "truncated")
_FIRST = 0
_FEW = 3


class Met(NamedTuple):
    """One game that was played."""

    number: int
    seed: int
    seating: Mapping[str, str]
    """The players, by agent."""
    returns: Mapping[str, float]
    """By player; the mean of its seats, where it has several."""
    lengths: tuple[int, ...]
    episodes: tuple[int, ...]
    ended: bool
    """False when a limit of steps cut it: it is judged by the returns until then."""


class Meeting(NamedTuple):
    """Two players against each other: counted for the first."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    alike: bool
    """Whether with the same seats every game went the same way: then many of them say no more than one."""


class League(NamedTuple):
    """A whole league, as far as it was played."""

    players: tuple[str, ...]
    ratings: Ratings
    meetings: tuple[Meeting, ...]
    games: tuple[Met, ...]
    planned: int


def schedule(session: Session) -> list[tuple[int, Mapping[str, str]]]:
    """Every game of a league in the order of play: its seed, and who sits where."""
    seeds = [seed for first, last in session.seeds for seed in range(first, last + 1)]
    return [(seed, seating) for seed in seeds for seating in session.seatings]


def games_of(reader: StoreReader, session: Session, *, finished: bool) -> list[Met]:
    """The games that a run has played to their end.

    Args:
        reader: the store of the run.
        session: what it was asked for.
        finished: whether the run played all it was asked for; if not, its last game may have been cut.

    Raises:
        StoreError: the record does not fit what was asked for.
    """
    played = _groups(reader)
    if session.max_steps is None:  # whatever did not end was killed, or begun anew by somebody who may
        played = [rows for rows in played if _over(rows)]
    asked = schedule(session)[session.games_before :]
    if len(played) > len(asked):
        raise StoreError(f"{len(played)} games are recorded where {len(asked)} were asked for")
    if played and not finished and not _over(played[-1]):
        played.pop()
    return [
        _met(number, rows, seed, seating)
        for number, (rows, (seed, seating)) in enumerate(
            zip(played, asked, strict=False), session.games_before
        )
    ]


def league_of(session: Session, games: Iterable[Met]) -> League:
    """What the games come to."""
    played = tuple(games)
    pairs = [game for met in played for game in _pairs(met)]
    return League(
        players=tuple(session.seats),
        ratings=rate(pairs, players=session.seats),
        meetings=tuple(
            meeting
            for first, second in combinations(session.seats, 2)
            if (meeting := _meeting(first, second, played)) is not None
        ),
        games=played,
        planned=len(schedule(session)),
    )


def _groups(reader: StoreReader) -> list[list[EpisodeRow]]:
    """The episodes of each game, in the order of play.

    Only what somebody decided in is a game: an operator may simulate in environments of its own.
    """
    decided = {
        msgspec.json.decode(event.data).get("episode_id") for event in reader.events(DECISION, step=_FIRST)
    }
    groups: dict[str, list[EpisodeRow]] = {}
    for row in reader.episodes():
        groups.setdefault(row.group or row.episode_id, []).append(row)
    return [rows for rows in groups.values() if any(row.episode_id in decided for row in rows)]


def _over(rows: Sequence[EpisodeRow]) -> bool:
    return all(row.outcome in _ENDED for row in rows)


def _met(number: int, rows: Sequence[EpisodeRow], seed: int, seating: Mapping[str, str]) -> Met:
    if any(row.seed not in (seed, None) or row.agent_id not in seating for row in rows):
        raise StoreError(
            f"game {number} was to be played with seed {seed} by {', '.join(seating)}; recorded are "
            + ", ".join(f"{row.agent_id} with seed {row.seed}" for row in rows)
        )
    returns = {str(row.agent_id): row.return_ for row in rows}
    held: dict[str, list[float]] = {}
    for agent, player in seating.items():
        held.setdefault(player, []).append(returns.get(agent, 0.0))  # who never had a turn got nothing
    return Met(
        number=number,
        seed=seed,
        seating=seating,
        returns={player: sum(values) / len(values) for player, values in held.items()},
        lengths=tuple(row.steps for row in rows),
        episodes=tuple(row.index for row in rows),
        ended=_over(rows),
    )


def _score(mine: float, theirs: float) -> float:
    return 0.5 if mine == theirs else float(mine > theirs)


def _pairs(met: Met) -> list[Game]:
    """A game of several as games of two: each against each."""
    return [
        Game(first=first, second=second, score=_score(met.returns[first], met.returns[second]))
        for first, second in combinations(met.returns, 2)
    ]


def _meeting(first: str, second: str, games: Iterable[Met]) -> Meeting | None:
    """Two players against each other; None when they never met."""
    together = [met for met in games if first in met.returns and second in met.returns]
    if not together:
        return None
    tally = Counter(_score(met.returns[first], met.returns[second]) for met in together)
    ways: dict[tuple[str, ...], set[object]] = {}
    for met in together:
        way = (tuple(met.returns.values()), met.lengths)
        ways.setdefault(tuple(met.seating.values()), set()).add(way)
    alike = len(together) >= _FEW * len(ways) and all(len(found) == 1 for found in ways.values())
    return Meeting(first, second, tally[1.0], tally[0.5], tally[0.0], alike)
