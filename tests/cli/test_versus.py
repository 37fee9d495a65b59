"""`mosaic versus`: a match on shared seeds as one run, its figures checked against the record."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Said, home_after

pytestmark = pytest.mark.timeout(600)
Call = Callable[..., Said]


@pytest.fixture(scope="module")
def trained_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with a table that walks over the ice, named `walker`."""
    path = tmp_path_factory.mktemp("matched")
    words = ("train", "tabular/q_learning", "FrozenLake-v1", "--steps", "8000", "--seed", "1")
    with home_after(path, *words, "--name", "walker", "env.is_slippery=false"):
        yield path


@pytest.fixture(autouse=True)
def _in_force(trained_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSAIC_HOME", str(trained_home))


def test_a_table_wins_against_chance_and_the_whole_match_replays(mosaic: Call) -> None:
    words = (
        "walker:best",
        "random",
        "random",
        "--env",
        "FrozenLake-v1",
        "env.is_slippery=false",
        "--seeds",
        "1-6",
    )
    said = mosaic("versus", *words, "--json", "--name", "match")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    seats = ["walker:best", "random", "random#2"]
    assert [side["seat"] for side in found["sides"]] == seats
    assert found["sides"][0]["operator"].startswith("walker@")
    assert [one["seed"] for one in found["sides"][0]["episodes"]] == [1, 2, 3, 4, 5, 6]
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [
        (seats[0], seats[1]),
        (seats[0], seats[2]),
        (seats[1], seats[2]),
    ]
    rows = [json.loads(line) for line in mosaic("episodes", "match", "--json").out.splitlines()]
    returns = {row["index"]: row["return"] for row in rows}
    pair = found["pairs"][0]
    for split in pair["part_at"]:
        first, second = split["episodes"]
        assert pair["differences"][str(split["seed"])] == returns[first] - returns[second]
        assert split["step"] == parted(mosaic, first, second)
    assert pair["wins"] + pair["losses"] + pair["ties"] == 6
    assert pair["mean_difference"]["value"] == sum(pair["differences"].values()) / 6
    low, high = pair["mean_difference"]["interval"]
    assert low <= pair["mean_difference"]["value"] <= high
    replayed = mosaic("replay", "match", "--all", "--verify")
    assert (replayed.code, "all 18 episodes" in replayed.err) == (0, True), replayed.err


def parted(mosaic: Call, first: int, second: int) -> int:
    """The first step at which two episodes differ, found here by hand."""
    one, other = (
        [json.loads(line) for line in mosaic("steps", "match", str(index), "--json").out.splitlines()]
        for index in (first, second)
    )
    what = ("action", "obs", "reward", "terminated", "truncated")
    for step, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if any(mine[name] != theirs[name] for name in what):
            return step
    return min(len(one), len(other))


def test_the_tables_say_who_leads_and_what_is_asked_wrongly_starts_nothing(mosaic: Call) -> None:
    said = mosaic("versus", "noop", "random", "--env", "CartPole-v1", "--seeds", "1-3")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0].split()[:3] == ["SEAT", "OPERATOR", "EPISODES"]
    assert lines[1].split()[:3] == ["noop", "noop", "3"]
    assert lines[5].startswith("noop - random")
    for words, why in (
        (("random", "--env", "CartPole-v1"), "two operators or more"),
        (("random", "noop"), "--env"),
        (("random", "noop", "--env", "pettingzoo.classic.tictactoe_v3"), "has seats of its own"),
        (("random", "nop", "--env", "CartPole-v1"), "Did you mean 'noop'"),
    ):
        found = mosaic("versus", *words)
        assert found.code == 2, words
        assert why in found.err, words
