"""The return curve: exact, by index, the later point holds."""

from __future__ import annotations

import math

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from mosaic.store import curve
from tests.store.test_chunks import any_float, int64s


@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), any_float, any_float, int64s, st.integers(0, 15)),
        min_size=1,
        max_size=60,
    ),
    st.booleans(),
)
def test_points_come_back_bit_for_bit(points: list[curve.Point], quick: bool) -> None:
    block = curve.decode(curve.encode(points, quick=quick))
    back = curve.points_of(block)
    assert [(p[0], *p[3:]) for p in back] == [(p[0], *p[3:]) for p in points]
    for place in (1, 2):
        assert [math.copysign(1, p[place]) for p in back] == [math.copysign(1, p[place]) for p in points]
        assert [str(p[place]) for p in back] == [str(p[place]) for p in points]


def test_of_two_points_of_an_episode_the_later_holds() -> None:
    blocks = [[(3, 1.0, 1.0, 1, 1), (0, 2.0, 2.0, 2, 3)], [(3, 9.0, 9.0, 9, 9), (1, 3.0, 3.0, 3, 2)]]
    joined = curve.join([curve.decode(curve.encode(block)) for block in blocks])
    assert joined.index.tolist() == [0, 1, 3]
    assert joined.return_.tolist() == [2.0, 3.0, 9.0]
    assert joined.mark.tolist() == [3, 2, 9]


def test_a_block_that_version_0_1_wrote_says_nothing_of_outcome_and_role() -> None:
    *before, _ = msgspec.msgpack.decode(curve.encode([(0, 1.0, 2.0, 3, 9), (1, 1.5, 2.5, 3, 9)]))
    block = curve.decode(msgspec.msgpack.encode(before))
    assert (block.return_.tolist(), block.mark.tolist()) == ([2.0, 2.5], [0, 0])


def test_no_blocks_are_an_empty_curve() -> None:
    assert len(curve.join([])) == 0
