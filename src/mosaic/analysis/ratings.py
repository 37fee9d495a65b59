"""Ratings from games of two: Bradley-Terry on the Elo scale, and the schedule that makes them fair. Pure.

A draw counts as half a win for each side. Each pair that met gets one draw more than it played, so whoever
won everything has a finite rating. The interval is a Bayesian bootstrap: every game gets a random weight, the
added draw too (as half a win and half a loss); for two players that is Jeffreys' interval of a proportion.
Players that no chain of games connects stand in different groups, and nothing compares groups.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from mosaic.analysis.bootstrap import SEED, Interval, interval_of
from mosaic.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from mosaic.analysis.bootstrap import Floats

__all__ = ["Game", "Group", "Rating", "Ratings", "expected_score", "fair_lineups", "rate"]

ANCHOR: Final = 1500.0
ADDED_DRAWS: Final = 1.0
RESAMPLES: Final = 2_000

_ELO_PER_LOGIT: Final = 400 / math.log(10)
_MOST_ROUNDS = 500
_CLOSE_ENOUGH = 1e-9  # of a logit; an Elo point is 0.006
_LEAST_SHARE = 1e-9  # of a game: a weight that underflows would put a rating at infinity
_WIN, _DRAW, _LOSS = 1.0, 0.5, 0.0


@dataclass(frozen=True, kw_only=True)
class Game:
    """One game that was played. `score` is the first player's: 1 won, 0.5 drawn, 0 lost."""

    first: str
    second: str
    score: float


@dataclass(frozen=True, kw_only=True)
class Rating:
    """One player's rating, relative to the mean of its group.

    `interval` is None for who played no game; `games` is `wins + draws + losses`.
    """

    player: str
    elo: float
    interval: Interval | None
    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, kw_only=True)
class Group:
    """Players whom games connect, the best first. Their mean is `ANCHOR`."""

    ratings: tuple[Rating, ...]


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """All groups, the largest first, and how the intervals were made."""

    groups: tuple[Group, ...]
    games: int
    resamples: int
    seed: int
    added_draws: float = ADDED_DRAWS


def fair_lineups(players: Sequence[str], *, size: int = 2) -> tuple[tuple[str, ...], ...]:
    """Who meets whom, each in an order: every group of `size` players, everybody as often in every position.

    Two meet in both orders. Three or more are turned round, forwards and backwards, so each is as often
    right before another as right after. Fewer players than `size` fill the positions in turn.

    Raises:
        UsageError: fewer than two players, or one twice; or nobody to meet.
    """
    twice = [player for player, count in Counter(players).items() if count > 1]
    if twice:
        raise UsageError(f"player {twice[0]!r} is named twice; give each a name of its own")
    if len(players) < 2 or size < 2:
        raise UsageError(f"a league needs two players at least, got {min(len(players), size)}")
    found = []
    for group in combinations(players, min(size, len(players))):
        for order in (group, group[::-1]) if len(group) > 2 else (group,):
            found += [
                tuple(order[(position + turn) % len(order)] for position in range(size))
                for turn in range(len(order))
            ]
    return tuple(found)


def expected_score(elo: float, against: float) -> float:
    """What a player of rating `elo` scores on average: chance to win plus half the chance to draw."""
    return 1 / (1 + 10 ** ((against - elo) / 400))


def rate(
    games: Iterable[Game], *, players: Iterable[str] = (), resamples: int = RESAMPLES, seed: int = SEED
) -> Ratings:
    """Rate whoever played.

    Args:
        games: What was played.
        players: Who takes part besides, perhaps without a game.
        resamples: How many times the games are weighted anew for the intervals.
        seed: Of the generator.

    Raises:
        UsageError: a score is neither 0, 0.5 nor 1, or somebody played against itself.
    """
    played = list(games)
    for game in played:
        _check(game)
    names = sorted({*players, *(name for game in played for name in (game.first, game.second))})
    tallies = _tallies(played)
    groups = [_rated(group, tallies, resamples, seed) for group in _connected(names, tallies)]
    groups.sort(key=lambda group: -len(group.ratings))
    return Ratings(groups=tuple(groups), games=len(played), resamples=resamples, seed=seed)


def _check(game: Game) -> None:
    if game.score not in (_WIN, _DRAW, _LOSS):
        raise UsageError(f"{game.first} against {game.second}: a score is 1, 0.5 or 0, got {game.score}")
    if game.first == game.second:
        raise UsageError(f"{game.first} played against itself: that says nothing of its strength")


Pair = tuple[str, str]


def _tallies(games: Iterable[Game]) -> dict[Pair, Floats]:
    """For each pair that met, by name in order: wins of the first, draws, losses."""
    found: dict[Pair, Floats] = {}
    for game in games:
        one, other = sorted((game.first, game.second))
        score = game.score if one == game.first else 1 - game.score
        tally = found.setdefault((one, other), np.zeros(3))
        tally[{_WIN: 0, _DRAW: 1, _LOSS: 2}[score]] += 1
    return found


def _connected(names: Sequence[str], pairs: Iterable[Pair]) -> list[list[str]]:
    """The names in groups that games connect, each group and the groups in the order of the names."""
    group_of = {name: [name] for name in names}
    for one, other in pairs:
        mine, others = group_of[one], group_of[other]
        if mine is not others:
            mine.extend(others)
            for name in others:
                group_of[name] = mine
    distinct = {id(group): sorted(group) for group in group_of.values()}
    return list(distinct.values())


def _rated(names: Sequence[str], tallies: dict[Pair, Floats], resamples: int, seed: int) -> Group:
    number = {name: index for index, name in enumerate(names)}
    met = {pair: tally for pair, tally in tallies.items() if pair[0] in number}
    if not met:  # alone: nobody played against it
        alone = Rating(player=names[0], elo=ANCHOR, interval=None, games=0, wins=0, draws=0, losses=0)
        return Group(ratings=(alone,))
    pairs = np.array([(number[one], number[other]) for one, other in met], np.intp)
    counts = np.array(list(met.values()))
    added = np.array([ADDED_DRAWS / 2, 0.0, ADDED_DRAWS / 2])
    elo = _fitted(pairs, (counts + added)[None], len(names))[0]
    drawn = _fitted(pairs, _weighted(counts + added, resamples, seed), len(names))
    record = np.zeros((len(names), 3), np.int64)
    for (one, other), tally in zip(pairs, counts.astype(np.int64), strict=True):
        record[one] += tally
        record[other] += tally[::-1]
    ratings = [
        Rating(
            player=name,
            elo=float(elo[at]),
            interval=interval_of(drawn[:, at]),
            games=int(record[at].sum()),
            wins=int(record[at, 0]),
            draws=int(record[at, 1]),
            losses=int(record[at, 2]),
        )
        for name, at in number.items()
    ]
    return Group(ratings=tuple(sorted(ratings, key=lambda rating: (-rating.elo, rating.player))))


def _weighted(counts: Floats, resamples: int, seed: int) -> Floats:
    """The games of each pair weighted at random: each game's weight is exponential, their sum is kept."""
    drawn = np.random.default_rng(seed).standard_gamma(counts, (resamples, *counts.shape))
    total = counts.sum(axis=-1, keepdims=True)
    found: Floats = drawn / drawn.sum(axis=-1, keepdims=True) * total
    return found


def _fitted(pairs: npt.NDArray[np.intp], counts: Floats, players: int) -> Floats:
    """The most likely ratings for many tallies at once: Newton's method on the logits.

    Args:
        pairs: The two players of each pair.
        counts: Resamples x pairs x (wins, draws, losses).
        players: How many there are.
    """
    one, other = pairs[:, 0], pairs[:, 1]
    won = np.maximum(counts[..., 0] + counts[..., 1] / 2, _LEAST_SHARE)
    lost = np.maximum(counts[..., 2] + counts[..., 1] / 2, _LEAST_SHARE)
    total = won + lost
    logits = np.zeros((len(counts), players))
    for _ in range(_MOST_ROUNDS):
        chance = 1 / (1 + np.exp(logits[:, other] - logits[:, one]))
        pull = won - total * chance
        weight = total * chance * (1 - chance)
        slope = np.zeros((players, len(counts)))
        np.add.at(slope, one, pull.T)
        np.subtract.at(slope, other, pull.T)
        bend = np.zeros((players, players, len(counts)))
        for at, sign in (((one, one), 1), ((other, other), 1), ((one, other), -1), ((other, one), -1)):
            np.add.at(bend, at, sign * weight.T)
        # All logits may rise together: the ones hold their mean at 0, and touch nothing else.
        step = np.linalg.solve(bend.transpose(2, 0, 1) + weight.mean() / players, slope.T[..., None])[..., 0]
        # A step that moves no two players apart by more than one logit always makes the likelihood larger
        # (its third derivative is bounded by its second); so the method cannot overshoot.
        reach = np.maximum(1.0, np.ptp(step, axis=1, keepdims=True))
        logits += step / reach
        if np.abs(step).max() < _CLOSE_ENOUGH:
            break
    logits -= logits.mean(axis=1, keepdims=True)
    found: Floats = ANCHOR + _ELO_PER_LOGIT * logits
    return found
