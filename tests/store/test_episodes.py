"""Episode rows: every field exact."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.store.chunks import TERMINATED, TRUNCATED
from mosaic.store.episodes import Live, row_of
from tests.store.test_chunks import any_float


@given(
    any_float,
    any_float | st.none(),
    any_float | st.none(),
    any_float,
    st.integers() | st.none(),
    st.sampled_from([None, "terminated", "truncated", "cut", "resigned"]),
    st.sampled_from([None, "train", "eval"]),
)
def test_every_field_of_a_row_comes_back(
    return_: float,
    t_start: float | None,
    t_end: float | None,
    summed: float,
    seed: int | None,
    outcome: str | None,
    role: str | None,
) -> None:
    live = Live("e5", 3, 1, 5, seq=9, flags=3, steps=4, return_=return_, t_start=t_start, t_end=t_end)
    live.seed, live.outcome, live.agent, live.group, live.env_index = seed, outcome, "a", None, 2
    live.counted, live.summed, live.role = 6, summed, role
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
    assert (shown.agent_id, shown.env_index, shown.role, back.counted, back.flags) == ("a", 2, role, 6, 3)


@pytest.mark.parametrize(
    ("flags", "outcome"),
    [(TERMINATED, "terminated"), (TRUNCATED, "truncated"), (TERMINATED | TRUNCATED, "terminated")],
)
def test_a_step_that_says_both_terminated_its_episode(flags: int, outcome: str) -> None:
    live = Live("e", 0, 0, 0)
    live.ended_by_step(flags, 1.5)
    live.ended_by_step(TRUNCATED, 2.5)
    assert (live.outcome, live.t_end) == (outcome, 2.5)
