from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from mosaic_worker.parcels import ParcelError, pack, unpack


def travelled(value: Any) -> Any:
    tree, body = pack(value)
    return unpack(json.loads(json.dumps(tree)), body)


@pytest.mark.parametrize(
    "value",
    [3, -1.5, "é", None, True, [1, [2]], (1, (2, "x")), {"a": [1, (2,)], "b": {"c": None}}, [], {}, ()],
)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    found = travelled(value)
    assert found == value
    assert type(found) is type(value)


def test_arrays_come_back_bit_for_bit_writable_and_each_its_own() -> None:
    first = np.arange(12, dtype=np.float32).reshape(3, 4)[:, ::2]
    second = np.array([[True], [False]])
    found = travelled({"one": first, "two": (second, np.zeros((0, 3), np.int64)), "three": np.array(7)})
    assert found["one"].dtype == np.float32
    assert found["one"].tolist() == first.tolist()
    assert found["two"][0].dtype == bool
    assert found["two"][0].tolist() == [[True], [False]]
    assert found["two"][1].shape == (0, 3)
    assert found["three"].shape == ()
    found["one"][0, 0] = 99
    assert first[0, 0] == 0


def test_a_number_of_numpy_keeps_its_type() -> None:
    found = travelled([np.int8(-3), np.float32(0.1)])
    assert [type(one) for one in found] == [np.int8, np.float32]
    assert found == [np.int8(-3), np.float32(0.1)]


@pytest.mark.parametrize("value", [object(), {1: 2}, {"$nd": 1}, np.array([object()]), b"raw", {2, 3}])
def test_what_has_no_form_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ParcelError, match="cannot travel"):
        pack(value)


@pytest.mark.parametrize(
    "told",
    [
        ["<f4", [3], 0],
        ["<f4", [1], 1],
        ["<f4", [1], -4],
        ["<f4", [-1], 0],
        ["|O", [1], 0],
        ["nothing", [1], 0],
        ["<f4", "x", 0],
        [],
        7,
    ],
)
def test_an_array_that_does_not_lie_in_the_bytes_is_refused(told: Any) -> None:
    with pytest.raises(ParcelError):
        unpack({"$nd": told}, b"\0" * 4)
