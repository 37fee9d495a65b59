"""`mosaic steps`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.asking import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Said

pytestmark = pytest.mark.usefixtures("recorded")


@pytest.mark.parametrize("episode", ["1", "e1"])
def test_steps_are_found_by_index_and_by_id(mosaic: Callable[..., Said], episode: str) -> None:
    rows = json_lines(mosaic("steps", "last", episode, "--json").out)
    assert [row["step"] for row in rows] == [0, 1, 2, 3]
    contract = ["step", "action", "reward", "terminated", "truncated", "obs", "t"]
    assert {name: rows[3][name] for name in contract} == {
        "step": 3, "action": 1, "reward": 1.0, "terminated": True, "truncated": False, "obs": [1, 3],
        "t": 101.0,
    }  # fmt: skip


def test_steps_can_be_paged(mosaic: Callable[..., Said]) -> None:
    rows = json_lines(mosaic("steps", "last", "0", "--json", "--first", "1", "-n", "2").out)
    assert [row["step"] for row in rows] == [1, 2]
    assert "terminated" in mosaic("steps", "last", "0").out


def test_an_episode_that_does_not_exist_is_a_clear_error(mosaic: Callable[..., Said]) -> None:
    said = mosaic("steps", "last", "99")
    assert said.code == 2
    assert "99" in said.err


@pytest.mark.parametrize("episode", ["9" * 5000, "²", "007"], ids=["long", "raised", "padded"])
def test_an_episode_that_is_no_index_of_any_length_is_a_clear_error(
    mosaic: Callable[..., Said], episode: str
) -> None:
    for words in (
        ("steps", "last", episode),
        ("replay", "last", "--episode", episode, "--verify"),
        ("branch", "last", "--episode", episode, "--step", "0"),
        ("events", "last", "--episode", episode),
    ):
        said = mosaic(*words)
        assert (said.code, "there is no episode" in said.err) == (2, True), (words[0], said.err)
