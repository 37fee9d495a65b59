"""Other people's values as numbers and JSON."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import PurePosixPath

import numpy as np
import pytest

from mosaic_worker.hooks.scalars import flatten, number, plain, plain_items, whole


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1.0),
        (True, 1.0),
        (np.float32(0.1), 0.10000000149011612),
        (np.array([[3]]), 3.0),
        (np.array(2.5), 2.5),
        (Decimal("1.5"), 1.5),
        ("1.5", None),
        (np.str_("x"), None),
        (None, None),
        (1j, None),
        (np.zeros(2), None),
        ([1.0], None),
        (object(), None),
        (10**400, None),
    ],
)
def test_a_scalar_is_its_float_and_anything_else_is_none(value: object, expected: float | None) -> None:
    assert number(value) == expected


def test_nan_and_minus_zero_stay_what_they_are() -> None:
    found = number(np.float64("nan"))
    assert found is not None
    assert math.isnan(found)
    assert math.copysign(1.0, number(-0.0) or 1.0) == 1.0  # `or` sees a zero: compare the zero itself below
    zero = number(-0.0)
    assert zero is not None
    assert math.copysign(1.0, zero) == -1.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [(5, 5), (np.int64(5), 5), (5.9, 5), (None, None), (float("nan"), None), (2**60 + 1, 2**60 + 1)],
)
def test_a_step_is_a_whole_number_or_none(value: object, expected: int | None) -> None:
    assert whole(value) == expected


def test_nested_mappings_are_joined_by_slashes() -> None:
    assert list(flatten({"a": 1, "b": {"c": 2, "d": "no", "e": {1: 3}}})) == [
        ("a", 1.0),
        ("b/c", 2.0),
        ("b/e/1", 3.0),
    ]


def test_only_what_json_can_hold_is_kept() -> None:
    given = {
        "n": 1,
        "t": (1, object()),
        "p": PurePosixPath("/x"),
        "f": print,
        "np": np.int32(4),
        "none": None,
    }
    assert plain_items(given) == {"n": 1, "t": [1], "p": "/x", "np": 4, "none": None}
    assert plain(print) is None
