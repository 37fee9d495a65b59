"""Leagues planned, and what becomes of one that cannot be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mosaic.app import leagues
from mosaic.errors import UsageError
from mosaic.paths import DataRoot

if TYPE_CHECKING:
    from pathlib import Path

TICTACTOE = "pettingzoo.classic.tictactoe_v3"


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    return DataRoot(path)


def test_every_two_meet_in_both_seats_and_the_same_one_twice_has_two_names(root: DataRoot) -> None:
    plan = leagues.plan(root, TICTACTOE, ["random", "noop", "random"], games=3)
    assert plan.ok
    told = json.loads(plan.command[3])
    assert list(told["seats"]) == ["random", "noop", "random#2"]
    assert [seat["name"] for seat in told["seats"].values()] == ["random", "noop", "random#2"]
    assert told["seeds"] == [[1, 2]]  # three games of a pair would not be fair
    assert told["seatings"][:2] == [
        {"player_1": "random", "player_2": "noop"},
        {"player_1": "noop", "player_2": "random"},
    ]
    assert len(told["seatings"]) == 6


def test_the_environments_arguments_say_how_many_meet(root: DataRoot) -> None:
    env_id, parameters = "pettingzoo.classic.texas_holdem_v4", {"env.num_players": "3"}
    plan = leagues.plan(root, env_id, ["random", "noop"], seeds=[7], parameters=parameters)
    assert plan.ok
    assert json.loads(plan.command[3])["seatings"] == [
        {"player_0": "random", "player_1": "noop", "player_2": "random"},
        {"player_0": "noop", "player_1": "random", "player_2": "noop"},
    ]


def test_secrets_in_what_was_typed_are_not_in_the_names(root: DataRoot, tmp_path: Path) -> None:
    program = tmp_path / "mind"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    who = [f"cmd:{program} --api-key abcdefgh12345678", f"cmd:{program} --api-key zyxwvuts87654321"]
    plan = leagues.plan(root, TICTACTOE, who)
    session = plan.job.session
    assert session is not None
    names = [*session.seats, *(seat.name for seat in session.seats.values())]
    names += [name for seating in session.seatings for name in seating.values()]
    assert len(set(session.seats)) == 2
    assert not [name for name in names if "abcdefgh" in name or "zyxw" in name]


def test_an_environment_that_cannot_be_made_is_told_by_the_preflight(root: DataRoot) -> None:
    plan = leagues.plan(root, "pettingzoo.classic.tictactoe_v9", ["random", "noop"])
    assert not plan.ok
    assert any("tictactoe_v3" in check.remedy for check in plan.checks)


@pytest.mark.parametrize(
    ("env_id", "who", "why"),
    [
        ("CartPole-v1", ["random", "noop"], "mosaic versus random noop --env CartPole-v1"),
        (TICTACTOE, ["random"], "two players at least"),
        (TICTACTOE, ["random", "nop"], "Did you mean 'noop'"),
        (TICTACTOE, ["random", "python:nowhere.py"], "there is no file"),
    ],
)
def test_what_cannot_be_a_league_says_why(root: DataRoot, env_id: str, who: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        leagues.plan(root, env_id, who)


def test_more_seatings_than_a_command_holds_are_refused(root: DataRoot) -> None:
    parameters = {"env.num_players": "6"}
    who = ["random"] * 12
    with pytest.raises(UsageError, match="11,088 seatings, more than fit into a command"):
        leagues.plan(root, "pettingzoo.classic.texas_holdem_v4", who, parameters=parameters)
