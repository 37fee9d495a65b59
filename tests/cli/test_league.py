"""`mosaic league`: games in every seat as one run, its tables checked against the record; resumed exactly."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mosaic.artifacts import trust
from mosaic.paths import DataRoot
from tests.cli.conftest import Said, home_after

pytestmark = pytest.mark.timeout(600)
Call = Callable[..., Said]
TICTACTOE = "pettingzoo.classic.tictactoe_v3"
FIRST_LEGAL = "def act(view):\n    return next(k for k, legal in enumerate(view.mask) if legal)\n"
KILLED = """
import os, signal
games = 0
def begin(seat):
    global games
    games += 1
    if games == 3 and not os.path.exists({mark!r}):
        open({mark!r}, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
def act(view):
    return next(k for k, legal in enumerate(view.mask) if legal)
"""


@pytest.fixture(scope="module")
def league_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with a short league."""
    with home_after(
        tmp_path_factory.mktemp("leagues"), "league", "random", "noop", "--env", TICTACTOE, "--seeds", "1"
    ) as path:
        yield path


@pytest.fixture(autouse=True)
def _in_force(league_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSAIC_HOME", str(league_home))


def json_of(said: Said) -> Any:
    assert said.code == 0, said.err
    return json.loads(said.out)


def test_a_league_is_one_run_whose_tables_follow_from_its_record(mosaic: Call, tmp_path: Path) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text(FIRST_LEGAL)
    words = ("random", f"python:{mind}", "random", "--env", TICTACTOE, "--games", "6", "--name", "cup")
    found = json_of(mosaic("league", *words, "--json"))
    players = ["random", f"python:{mind}", "random#2"]
    assert found["players"] == players
    assert (len(found["games"]), found["planned"]) == (18, 18)
    rows = [json.loads(line) for line in mosaic("episodes", "cup", "--json").out.splitlines()]
    returns = {row["index"]: (row["agent_id"], row["return"], row["seed"]) for row in rows}
    tally: Counter[tuple[str, str]] = Counter()
    for game in found["games"]:
        got = {}
        for index in game["episodes"]:
            agent, returned, seed = returns[index]
            assert seed == game["seed"]
            got[game["seating"][agent]] = returned
        assert got == game["returns"]
        one, other = got
        if got[one] != got[other]:
            tally[(one, other) if got[one] > got[other] else (other, one)] += 1
    for meeting in found["meetings"]:
        first, second = meeting["first"], meeting["second"]
        assert (meeting["wins"], meeting["losses"]) == (tally[first, second], tally[second, first])
        assert meeting["wins"] + meeting["draws"] + meeting["losses"] == 6
    (group,) = found["groups"]
    assert sum(one["elo"] for one in group) == pytest.approx(3 * 1500)
    assert all(one["interval"][0] <= one["elo"] <= one["interval"][1] for one in group)
    told = [
        json.loads(line) for line in mosaic("events", "cup", "--kind", "decision", "--json").out.splitlines()
    ]
    assert {one["operator"] for one in told} == set(players)
    replayed = mosaic("replay", "cup", "--all", "--verify")
    assert (replayed.code, "all 36 episodes" in replayed.err) == (0, True), replayed.err


def test_those_that_draw_draw_anew_in_every_game_of_a_seed(mosaic: Call) -> None:
    words = ("random", "random", "--env", TICTACTOE, "--seeds", "1-6", "--name", "dice")
    assert mosaic("league", *words).code == 0
    told = [
        json.loads(mosaic("steps", "dice", str(index), "--json").out.splitlines()[0])["action"]
        for index in range(0, 24, 2)
    ]
    assert told[::2] != told[1::2]  # the first moves, by seed: of one seating, and of the other


def test_a_league_that_was_killed_is_resumed_without_playing_a_game_twice(
    mosaic: Call, tmp_path: Path
) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text(KILLED.format(mark=str(tmp_path / "mark")))
    cut = mosaic("league", "random", f"python:{mind}", "--env", TICTACTOE, "--seeds", "4-6", "--name", "cut")
    assert cut.code != 0
    assert "mosaic league --resume" in cut.err
    found = json_of(mosaic("league", "--resume", "cut", "--json"))
    assert len(found["runs"]) == 2
    assert [game["number"] for game in found["games"]] == [0, 1, 2, 3, 4, 5]
    assert [game["seed"] for game in found["games"]] == [4, 4, 5, 5, 6, 6]
    counts = [
        len(mosaic("episodes", run_id, "--json").out.splitlines()) for run_id in reversed(found["runs"])
    ]
    assert counts[1] == 8  # two of six games were played before
    again = mosaic("league", "--resume", "cut")
    assert (again.code, "nothing is left" in again.err) == (0, True)
    assert again.out.splitlines()[0].split()[:3] == ["#", "PLAYER", "OPERATOR"]
    whole = json_of(
        mosaic("league", "random", f"python:{mind}", "--env", TICTACTOE, "--seeds", "4-6", "--json")
    )
    assert [game["returns"] for game in whole["games"]] == [game["returns"] for game in found["games"]]


def test_a_league_that_was_brought_in_is_shown_and_not_resumed(
    mosaic: Call, tmp_path: Path, league_home: Path
) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text(KILLED.format(mark=str(tmp_path / "mark")))
    mosaic("league", "random", f"python:{mind}", "--env", TICTACTOE, "--seeds", "1-3", "--name", "theirs")
    row = json.loads(mosaic("show", "theirs", "--json").out)
    trust.forget_run(DataRoot(league_home), row["run_id"])
    said = mosaic("league", "--resume", "theirs")
    assert (said.code, "was not started here" in said.err) == (2, True)


def test_the_tables_say_who_leads_and_what_must_be_known(mosaic: Call, tmp_path: Path) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text(FIRST_LEGAL)
    said = mosaic("league", f"python:{mind}", "noop", "--env", TICTACTOE, "--seeds", "1-3")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0].split()[-4:] == ["GAMES", "WON", "DRAWN", "LOST"]
    assert "3-0-3" in said.out
    assert "every game went the same way" in said.err
    limited = mosaic("league", "random", "noop", "--env", TICTACTOE, "--seeds", "1", "--max-steps", "2")
    assert "2 games reached the limit of steps" in limited.err
    assert "every game was drawn" not in limited.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("random", "--env", TICTACTOE), "two operators or more"),
        (("random", "noop"), "Add --env"),
        (("random", "noop", "--env", "CartPole-v1"), "mosaic versus random noop"),
        (("random", "nop", "--env", TICTACTOE), "Did you mean 'noop'"),
        (("random", "noop", "--env", TICTACTOE, "--games", "2", "--seeds", "1"), "leave out --games"),
        (("--resume", "last", "random"), "leave out all but --resume"),
        (("--resume", "nothing-like-it"), "no run has"),
        (("random", "noop", "--env", "pettingzoo.classic.tictactoe_v9"), "tictactoe_v3"),
    ],
)
def test_what_is_asked_wrongly_starts_nothing(mosaic: Call, words: tuple[str, ...], why: str) -> None:
    before = mosaic("ls", "--json").out
    said = mosaic("league", *words)
    assert said.code == 2, said.err
    assert why in said.err + said.out
    assert mosaic("ls", "--json").out == before


def test_a_run_that_is_no_league_says_so(mosaic: Call) -> None:
    assert mosaic("play", TICTACTOE, "-o", "random", "--name", "plain").code == 0
    said = mosaic("league", "--resume", "plain")
    assert (said.code, "is not a league" in said.err) == (2, True)
