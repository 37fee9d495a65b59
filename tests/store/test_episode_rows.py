"""Ids of episodes, split into the parts in which rows keep them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.store.episode_rows import join_id, split_id


@given(st.text())
def test_any_id_is_split_and_joined_again(name: str) -> None:
    prefix, number = split_id(name)
    assert join_id(prefix, number) == name


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("p1x.0.5", ("p1x.0.", 5)),
        ("7", ("", 7)),
        ("e0", ("e", 0)),
        ("e007", ("e007", -1)),
        ("", ("", -1)),
        ("e" + "9" * 30, ("e" + "9" * 30, -1)),
        ("e²", ("e²", -1)),
    ],
)
def test_only_plain_numbers_are_split_off(name: str, parts: tuple[str, int]) -> None:
    assert split_id(name) == parts
