"""What is made of the blocks' times. The trainings themselves are for `make bench`."""

from __future__ import annotations

import pytest

from bench.blocks import compare


def _group(first: float, second: float, tried: float) -> dict[str, float]:
    counts = {"first_renders": 2, "second_renders": 2, "tried_renders": 3}
    return {"first": first, "second": second, "tried": tried, **counts}


def test_a_tried_block_is_compared_with_the_plain_ones_of_its_own_group() -> None:
    groups = [_group(100, 100, 103), _group(200, 200, 206), _group(400, 400, 412)]
    found = compare(groups)
    assert found["percent"] == pytest.approx(3.0)
    assert (found["null_percent"], found["step_micros"]) == (0.0, 200)
    assert (found["renders_tried"], found["renders_plain"]) == (3, 2)


def test_the_interval_shows_how_much_is_noise() -> None:
    steady = compare([_group(100, 100, 101)] * 20)
    noisy = compare([_group(100, 130, 101), _group(130, 100, 160)] * 10)
    assert steady["high_percent"] - steady["low_percent"] < 1e-9
    assert noisy["low_percent"] < noisy["high_percent"]
    assert noisy["null_low_percent"] < 0 < noisy["null_high_percent"]
