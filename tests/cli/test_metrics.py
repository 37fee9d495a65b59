"""`mosaic metrics`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.asking import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Said


@pytest.mark.usefixtures("recorded")
def test_metrics_keep_their_contract_and_name_what_is_not_finite(mosaic: Callable[..., Said]) -> None:
    rows = json_lines(mosaic("metrics", "last", "--json").out)
    assert [(row["name"], row["canonical"], row["value"], row["step"], row["t"]) for row in rows] == [
        ("losses/td", "loss/td", 0.5, 0, 200.0),
        ("losses/td", "loss/td", "NaN", 1, 201.0),
        ("losses/td", "loss/td", "-Infinity", 2, 202.0),
    ]


@pytest.mark.parametrize("name", ["losses/td", "loss/td"])
@pytest.mark.usefixtures("recorded")
def test_metrics_are_found_by_their_own_name_and_by_ours(mosaic: Callable[..., Said], name: str) -> None:
    assert len(json_lines(mosaic("metrics", "last", "--name", name, "--json").out)) == 3


@pytest.mark.usefixtures("recorded")
def test_returns_nobody_logged_come_from_the_episodes(mosaic: Callable[..., Said]) -> None:
    rows = json_lines(mosaic("metrics", "last", "--name", "return", "--json").out)
    assert [row["value"] for row in rows] == [0.0, 4.0, 8.0]


@pytest.mark.usefixtures("recorded")
def test_a_metric_that_does_not_exist_is_answered_with_those_that_do(mosaic: Callable[..., Said]) -> None:
    said = mosaic("metrics", "last", "--name", "lossed/td")
    assert said.code == 2
    assert "Did you mean 'losses/td'?" in said.err


@pytest.mark.usefixtures("recorded")
def test_metric_names_are_listed(mosaic: Callable[..., Said]) -> None:
    assert json_lines(mosaic("metrics", "last", "--names", "--json").out) == [
        {"name": "losses/td", "canonical": "loss/td", "values": 3}
    ]
    assert "losses/td" in mosaic("metrics", "last", "--names").out
    assert "-Infinity" in mosaic("metrics", "last", "-n", "1").out


@pytest.mark.usefixtures("roles")
def test_returns_are_those_of_training_or_of_the_role_asked_for(mosaic: Callable[..., Said]) -> None:
    def returns(*words: str) -> list[float]:
        return [row["value"] for row in json_lines(mosaic("metrics", "last", "--json", "--name", *words).out)]

    assert returns("return") == [10, 20, 30]
    assert returns("return", "--role", "eval") == [90, 94]
    assert returns("length", "--role", "train") == [4, 6]
