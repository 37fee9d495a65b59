"""What a league came to, from the records of real sessions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from mosaic.app.rating import League, games_of, league_of, schedule
from mosaic.errors import StoreError
from mosaic.protocol.sessions import Session
from mosaic.store.reader import StoreReader
from tests.replay.recorded import record

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder

PROGRAM = "import sys\nfrom mosaic_worker.drivers.session import main\nsys.exit(main([{!r}]))\n"
TICTACTOE = "pettingzoo.classic.tictactoe_v3"
WINS = [0, 1, 2, 3, 4]
"""Cells of tic-tac-toe, column by column: whoever takes them first has the first column after three."""


def asked(tmp_path: Path, *, first: list[int], second: list[int], **more: Any) -> Session:
    """Two lists of moves that meet in both seats: the legal ones of each, in its order."""
    seats = {}
    for name, moves in (("first", first), ("second", second)):
        path = tmp_path / f"{name}.py"
        path.write_text(f"def act(view):\n    return next(k for k in {moves} if view.mask[k])\n")
        seats[name] = {"kind": "python", "name": f"list of {name}", "path": str(path)}
    told = {
        "seats": seats,
        "seeds": [[1, 2]],
        "api": "aec",
        "seatings": [
            {"player_1": "first", "player_2": "second"},
            {"player_1": "second", "player_2": "first"},
        ],
    }
    return msgspec.convert({**told, **more}, Session)


def played(tmp_path: Path, session: Session, env_id: str = TICTACTOE) -> RunFolder:
    home = tmp_path / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    told = {**msgspec.to_builtins(session), "env_id": env_id}
    return record(home, PROGRAM.format(json.dumps(told)))


def judged(folder: RunFolder, session: Session, *, finished: bool = True) -> League:
    with StoreReader(folder) as reader:
        return league_of(session, games_of(reader, session, finished=finished))


def test_who_won_in_which_seat_is_read_from_the_record(tmp_path: Path) -> None:
    session = asked(tmp_path, first=[0, 1, 2], second=[3, 4, 8, 5, 6, 7, 0, 1, 2])
    league = judged(played(tmp_path, session), session)
    (meeting,) = league.meetings
    assert meeting[:5] == ("first", "second", 4, 0, 0)
    assert [met.seed for met in league.games] == [1, 1, 2, 2]
    assert [met.returns for met in league.games] == [{"first": 1.0, "second": -1.0}] * 2 * 2
    best, other = league.ratings.groups[0].ratings
    assert (best.player, best.games, best.wins, other.losses) == ("first", 4, 4, 4)
    assert best.elo > other.elo
    assert league.planned == 4


def test_games_that_go_the_same_way_whatever_the_seed_are_told_of(tmp_path: Path) -> None:
    lists = {"first": [0, 1, 2], "second": [3, 4, 8, 5, 6, 7, 0, 1, 2]}
    few = asked(tmp_path, **lists)
    assert not judged(played(tmp_path, few), few).meetings[0].alike  # twice may be chance
    many = asked(tmp_path, **lists, seeds=[[1, 3]])
    assert judged(played(tmp_path, many), many).meetings[0].alike


def test_the_game_that_was_cut_counts_only_when_the_run_went_on_or_finished(tmp_path: Path) -> None:
    session = asked(tmp_path, first=[0, 1, 2], second=[3, 4, 8, 5, 6, 7, 0, 1, 2], max_steps=3)
    folder = played(tmp_path, session)
    league = judged(folder, session)
    assert [met.ended for met in league.games] == [False] * 4
    assert league.meetings[0][2:5] == (0, 4, 0)  # nobody had won by then
    assert len(judged(folder, session, finished=False).games) == 3


def test_a_run_that_went_on_numbers_its_games_from_where_it_began(tmp_path: Path) -> None:
    session = asked(tmp_path, first=[0, 1, 2], second=[3, 4, 8, 5, 6, 7, 0, 1, 2], games_before=3)
    league = judged(played(tmp_path, session), session)
    assert [(met.number, met.seating["player_1"]) for met in league.games] == [(3, "second")]
    assert schedule(session)[3] == (2, session.seatings[1])


def test_a_game_of_several_is_one_between_each_two_and_seats_of_one_player_count_together(
    tmp_path: Path,
) -> None:
    one = {"kind": "random", "name": "one"}
    seating = {"player_0": "a", "player_1": "b", "player_2": "c", "player_3": "a"}
    told = {"seats": dict.fromkeys("abc", one), "seeds": [[1, 1]], "api": "aec", "seatings": [seating]}
    session = msgspec.convert(told, Session)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    env = {"env_id": "pettingzoo.classic.texas_holdem_v4", "env_arguments": {"num_players": 4}}
    folder = record(home, PROGRAM.format(json.dumps({**msgspec.to_builtins(session), **env})))
    with StoreReader(folder) as reader:
        returns = {row.agent_id: row.return_ for row in reader.episodes()}
    league = judged(folder, session)
    assert league.games[0].returns["a"] == (returns["player_0"] + returns["player_3"]) / 2
    assert [(met.first, met.second) for met in league.meetings] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert league.ratings.games == 3


BEGUN_ANEW = """
from mosaic_worker.drivers import session
from mosaic_worker.session.loop import Until
play = session.play
def twice(world, operators, **how):
    play(world, operators, **{**how, "until": Until(ticks=2)})
    return play(world, operators, **how)
session.play = twice
"""


def test_a_game_that_was_begun_anew_is_one_game(tmp_path: Path) -> None:
    session = asked(tmp_path, first=[0, 1, 2], second=[3, 4, 8, 5, 6, 7, 0, 1, 2])
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    told = {**msgspec.to_builtins(session), "env_id": TICTACTOE}
    folder = record(home, BEGUN_ANEW + PROGRAM.format(json.dumps(told)))
    league = judged(folder, session)
    assert [met.seating["player_1"] for met in league.games] == ["first", "second"] * 2
    assert league.meetings[0][:5] == ("first", "second", 4, 0, 0)


def test_what_an_operator_simulates_to_decide_is_no_game(tmp_path: Path) -> None:
    session = asked(tmp_path, first=[0, 1, 2], second=[3, 4, 8, 5, 6, 7, 0, 1, 2])
    mind = tmp_path / "first.py"
    mind.write_text(
        "from pettingzoo.classic import tictactoe_v3\n"
        "mine = tictactoe_v3.env()\nmine.reset(seed=9)\nmine.step(4)\n"
        + mind.read_text().replace(
            "def act(view):\n", "def act(view):\n    mine.reset(seed=9)\n    mine.step(4)\n"
        )
    )
    folder = played(tmp_path, session)
    with StoreReader(folder) as reader:
        assert len({row.group for row in reader.episodes()}) > 4
    assert judged(folder, session).meetings[0][:5] == ("first", "second", 4, 0, 0)


def test_a_record_of_something_else_is_refused(tmp_path: Path) -> None:
    session = asked(tmp_path, first=[0, 1, 2], second=[3, 4, 8, 5, 6, 7, 0, 1, 2])
    folder = played(tmp_path, session)
    other = msgspec.structs.replace(session, seeds=[(1, 1), (3, 3)])
    with pytest.raises(StoreError, match="game 2 was to be played with seed 3"):
        judged(folder, other)
    with pytest.raises(StoreError, match="4 games are recorded where 2 were asked for"):
        judged(folder, msgspec.structs.replace(session, seeds=[(1, 1)]))
