"""`mosaic episodes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.asking import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Said


@pytest.mark.usefixtures("recorded")
def test_episodes_json_keeps_its_contract(mosaic: Callable[..., Said]) -> None:
    rows = json_lines(mosaic("episodes", "last", "--json").out)
    contract = [
        "episode_id",
        "index",
        "env_index",
        "agent_id",
        "steps",
        "return",
        "seed",
        "outcome",
        "t_start",
        "t_end",
    ]
    assert all(set(contract) <= row.keys() for row in rows)
    assert [(row["index"], row["episode_id"], row["steps"], row["return"], row["seed"]) for row in rows] == [
        (0, "e0", 4, 0.0, 0),
        (1, "e1", 4, 4.0, 1),
        (2, "e2", 4, 8.0, 2),
    ]


@pytest.mark.usefixtures("recorded")
def test_episodes_table_can_be_cut_to_the_last_ones(mosaic: Callable[..., Said]) -> None:
    lines = mosaic("episodes", "last", "-n", "1").out.splitlines()
    assert len(lines) == 2
    assert lines[1].split()[:4] == ["2", "4", "8", "terminated"]
    assert "ROLE" not in lines[0], "all of one role: there is nothing to tell apart"


@pytest.mark.usefixtures("roles")
@pytest.mark.parametrize(("role", "there"), [("train", [0, 2, 5, 6]), ("eval", [1, 4]), ("unknown", [3])])
def test_episodes_are_listed_by_role(mosaic: Callable[..., Said], role: str, there: list[int]) -> None:
    rows = json_lines(mosaic("episodes", "last", "--role", role, "--json").out)
    assert [row["index"] for row in rows] == there
    assert {row["role"] for row in rows} == {None if role == "unknown" else role}
    (only,) = json_lines(mosaic("episodes", "last", "--role", role, "-n", "1", "--json").out)
    assert only["index"] == there[-1]


@pytest.mark.usefixtures("roles")
def test_roles_have_a_column_where_there_are_several(mosaic: Callable[..., Said]) -> None:
    lines = mosaic("episodes", "last").out.splitlines()
    at = lines[0].split().index("ROLE")
    assert [line.split()[at] for line in lines[1:5]] == ["train", "eval", "train", "-"]


@pytest.mark.usefixtures("recorded")
def test_a_role_that_no_episode_has_is_answered_with_those_there_are(mosaic: Callable[..., Said]) -> None:
    said = mosaic("episodes", "last", "--role", "eval")
    assert "no episode of the role eval; there are 0 of training, 0 of evaluation, 3 of unknown" in said.err
