from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mosaic_worker import report
from mosaic_worker.rewards import Reward, paid
from tests.worker.test_shapes import Tensor


@pytest.mark.parametrize(
    "one",
    [1.5, np.float32(1.5), np.array(1.5), np.array([1.5]), np.array([[1.5]]), [1.5], (1.5,), Tensor([1.5])],
)
def test_one_number_in_any_wrapping_is_that_number(one: Any) -> None:
    found = paid(one)
    assert (found.value, found.components) == (1.5, None)
    assert found.as_json() == b"1.5"


@pytest.mark.parametrize("vector", [[1.0, -2.5], (1, -2.5), np.array([1.0, -2.5], "f4"), Tensor([1.0, -2.5])])
def test_a_vector_is_kept_whole_and_counts_as_the_sum_of_its_components(vector: Any) -> None:
    found = paid(vector)
    assert (found.value, found.components) == (-1.5, [1.0, -2.5])
    assert found.as_json() == b'-1.5,"rewards":[1.0,-2.5]'


@pytest.mark.parametrize("odd", [None, "1", [], ["a"], {"a": 1}, object(), 1j, np.zeros(1 << 17)])
def test_what_is_not_made_of_numbers_is_nan_and_counted(odd: Any) -> None:
    before = report.counts().get("reward", 0)
    assert math.isnan(paid(odd).value)
    assert report.counts()["reward"] == before + 1


def test_rewards_that_come_bit_by_bit_add_up_component_by_component() -> None:
    both = paid([1.0, 2.0]).plus(paid([10.0, 20.0]))
    assert (both.value, both.components) == (33.0, [11.0, 22.0])
    assert Reward(0.0).plus(both).components == [11.0, 22.0]
    assert paid([1.0, 2.0]).plus(paid([1.0, 2.0, 3.0])).components is None
