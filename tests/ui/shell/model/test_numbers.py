"""Numbers on an axis."""

from __future__ import annotations

import pytest

from mosaic.ui.shell.model.numbers import clock, short


@pytest.mark.parametrize(
    ("value", "step", "text"),
    [
        (0.0, 1.0, "0"),
        (20_000.0, 20_000.0, "20k"),
        (1_500_000.0, 500_000.0, "1.5M"),
        (1e3, 1e3, "1k"),
        (1e6, 1e6, "1M"),
        (1e9, 1e9, "1G"),
        (1e12, 1e12, "1T"),
        (1e-17, 1.0, "0"),
        (0.25, 0.05, "0.25"),
        (-3.0, 1.0, "-3"),
        (2.5e20, 1e20, "2.5e+20"),
        (100.0, 0.0, "100"),
    ],
)
def test_numbers_are_short_and_tell_neighbours_apart(value: float, step: float, text: str) -> None:
    assert short(value, step=step) == text


def test_no_time_is_a_dash() -> None:
    assert clock(None) == "-"
    assert clock(0.0) == "-"
    assert clock(1.7e9).startswith("2023-11-1")
