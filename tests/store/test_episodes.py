"""Episode rows: ids split and joined, every field exact."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.store.chunks import TERMINATED, TRUNCATED
from mosaic.store.episodes import Live, join_id, row_of, split_id
from tests.store.test_chunks import any_float


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


@given(
    any_float,
    any_float | st.none(),
    any_float | st.none(),
    any_float,
    st.integers() | st.none(),
    st.sampled_from([None, "terminated", "truncated", "cut", "resigned"]),
)
def test_every_field_of_a_row_comes_back(
    return_: float,
    t_start: float | None,
    t_end: float | None,
    summed: float,
    seed: int | None,
    outcome: str | None,
) -> None:
    live = Live("e5", 3, 1, 5, seq=9, flags=3, steps=4, return_=return_, t_start=t_start, t_end=t_end)
    live.seed, live.outcome, live.agent, live.group, live.env_index = seed, outcome, "a", None, 2
    live.counted, live.summed = 6, summed
    back = Live.from_row(live.to_row(), lambda _: "e")
    for name in ("return_", "t_start", "t_end", "summed"):
        there, here = getattr(live, name), getattr(back, name)
        assert (there is None) == (here is None)
        assert there is None or struct.pack("<d", there) == struct.pack("<d", here)
    shown = row_of(back, None)
    assert (shown.episode_id, shown.index, shown.steps, shown.seed, shown.outcome) == (
        "e5",
        3,
        4,
        seed,
        outcome,
    )
    assert (shown.agent_id, shown.env_index, back.counted, back.flags) == ("a", 2, 6, 3)


@pytest.mark.parametrize(
    ("flags", "outcome"),
    [(TERMINATED, "terminated"), (TRUNCATED, "truncated"), (TERMINATED | TRUNCATED, "terminated")],
)
def test_a_step_that_says_both_terminated_its_episode(flags: int, outcome: str) -> None:
    live = Live("e", 0, 0, 0)
    live.ended_by_step(flags, 1.5)
    live.ended_by_step(TRUNCATED, 2.5)
    assert (live.outcome, live.t_end) == (outcome, 2.5)
