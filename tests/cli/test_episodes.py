"""`mosaic episodes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.asking import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Said

pytestmark = pytest.mark.usefixtures("recorded")


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


def test_episodes_table_can_be_cut_to_the_last_ones(mosaic: Callable[..., Said]) -> None:
    lines = mosaic("episodes", "last", "-n", "1").out.splitlines()
    assert len(lines) == 2
    assert lines[1].split()[:4] == ["2", "4", "8", "terminated"]
