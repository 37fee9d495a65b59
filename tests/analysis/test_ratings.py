"""Bradley-Terry ratings against closed forms, another solver and simulated leagues of known strength."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from mosaic.analysis.ratings import Game, Rating, Ratings, expected_score, fair_lineups, rate
from mosaic.errors import UsageError


def _games(first: str, second: str, *, won: int = 0, drawn: int = 0, lost: int = 0) -> list[Game]:
    scores = [1.0] * won + [0.5] * drawn + [0.0] * lost
    return [Game(first=first, second=second, score=score) for score in scores]


def _by_name(ratings: Ratings) -> dict[str, Rating]:
    return {one.player: one for group in ratings.groups for one in group.ratings}


def test_two_players_are_as_far_apart_as_the_closed_form_says() -> None:
    found = _by_name(rate(_games("a", "b", won=14, drawn=4, lost=2)))
    share = (14 + 4 / 2 + 0.5) / (20 + 1)  # with the one added draw
    apart = 400 * math.log10(share / (1 - share))
    assert found["a"].elo - found["b"].elo == pytest.approx(apart, abs=1e-6)
    assert found["a"].elo + found["b"].elo == pytest.approx(3000)
    assert (found["b"].wins, found["b"].draws, found["b"].losses, found["b"].games) == (2, 4, 14, 20)


@pytest.mark.parametrize(("won", "lost"), [(13, 7), (5, 0), (1, 0)])
def test_the_interval_of_two_is_that_of_jeffreys(won: int, lost: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    found = _by_name(rate(_games("a", "b", won=won, lost=lost), resamples=40_000))["a"].interval
    low, high = stats.beta(won + 0.5, lost + 0.5).ppf([0.025, 0.975])
    assert found is not None
    # Compared as chances to win: on the Elo scale the far end of a clean record is nearly at infinity.
    assert expected_score(found.low, 3000 - found.low) == pytest.approx(low, abs=0.01)
    assert expected_score(found.high, 3000 - found.high) == pytest.approx(high, abs=0.01)


def test_many_players_are_rated_as_another_solver_rates_them() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    dice = np.random.default_rng(1)
    names = "abcde"
    games = [
        Game(first=a, second=b, score=float(dice.integers(0, 3)) / 2)
        for a, b in itertools.permutations(names, 2)
        for _ in range(int(dice.integers(1, 6)))
    ]

    def cost(logits: np.ndarray) -> float:
        strength = dict(zip(names, logits, strict=True))
        added = [Game(first=a, second=b, score=0.5) for a, b in itertools.combinations(names, 2)]
        total = 0.0
        for game in (*games, *added):
            gap = strength[game.first] - strength[game.second]
            total += game.score * np.log1p(np.exp(-gap)) + (1 - game.score) * np.log1p(np.exp(gap))
        return float(total)

    logits = optimize.minimize(cost, np.zeros(5), tol=1e-12).x
    expected = 1500 + 400 / math.log(10) * (logits - logits.mean())
    found = _by_name(rate(games))
    assert [found[name].elo for name in names] == pytest.approx(expected.tolist(), abs=0.05)


def test_who_won_everything_has_a_finite_rating_and_a_wide_interval() -> None:
    found = _by_name(rate([*_games("a", "b", won=10), *_games("b", "c", won=10), *_games("a", "c", won=10)]))
    assert found["a"].elo > found["b"].elo > found["c"].elo
    for one in found.values():
        assert one.interval is not None
        assert math.isfinite(one.elo)
        assert one.interval.low < one.elo < one.interval.high
        assert one.interval.high - one.interval.low > 100


def test_intervals_hold_the_true_ratings_about_as_often_as_they_say() -> None:
    dice = np.random.default_rng(6)
    truth = {"a": 1700.0, "b": 1550.0, "c": 1450.0, "d": 1300.0}
    held = 0
    for _ in range(60):
        games = [
            Game(
                first=first,
                second=second,
                score=float(dice.random() < expected_score(truth[first], truth[second])),
            )
            for _ in range(20)
            for first, second in fair_lineups(list(truth))
        ]
        for name, one in _by_name(rate(games, resamples=300)).items():
            assert one.interval is not None
            held += one.interval.low <= truth[name] <= one.interval.high
    assert 0.91 <= held / 240 <= 0.99


def test_players_whom_no_game_connects_stand_in_groups_of_their_own() -> None:
    found = rate(
        [*_games("a", "b", won=3), *_games("x", "y", lost=1), *_games("b", "c", drawn=2)], players=["z"]
    )
    assert [[one.player for one in group.ratings] for group in found.groups] == [
        ["a", "b", "c"], ["y", "x"], ["z"],
    ]  # fmt: skip
    for group in found.groups:
        assert np.mean([one.elo for one in group.ratings]) == pytest.approx(1500)
    alone = found.groups[2].ratings[0]
    assert (alone.elo, alone.interval, alone.games) == (1500.0, None, 0)


def test_seats_are_told_apart_only_by_who_won() -> None:
    one = rate(_games("a", "b", won=3, lost=1))
    other = rate(_games("b", "a", won=1, lost=3))
    assert one == other


def test_every_pair_meets_in_both_orders() -> None:
    assert sorted(fair_lineups(["c", "a", "b"])) == sorted(itertools.permutations("abc", 2))


@pytest.mark.parametrize(("players", "size"), [("abc", 3), ("ab", 4), ("ab", 3), ("abcde", 4), ("abcd", 2)])
def test_everybody_is_as_often_in_every_position_and_meets_everybody_as_often(
    players: str, size: int
) -> None:
    found = fair_lineups(list(players), size=size)
    assert {len(lineup) for lineup in found} == {size}
    positions = Counter((name, at) for lineup in found for at, name in enumerate(lineup))
    assert len(set(positions.values())) == 1
    assert len(positions) == len(players) * size
    met = Counter(pair for lineup in found for pair in itertools.combinations(sorted(set(lineup)), 2))
    assert len(set(met.values())) == 1
    after = Counter(pair for lineup in found for pair in itertools.pairwise(lineup))
    assert all(after[one, other] == after[other, one] for one, other in after)


@pytest.mark.parametrize(
    ("players", "why"), [(["a"], "two players"), (["a", "b", "a"], "'a' is named twice")]
)
def test_a_league_that_cannot_be_is_refused(players: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        fair_lineups(players)


def test_games_that_say_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match=r"1, 0.5 or 0, got 2"):
        rate([Game(first="a", second="b", score=2)])
    with pytest.raises(UsageError, match="itself"):
        rate([Game(first="a", second="a", score=1)])
