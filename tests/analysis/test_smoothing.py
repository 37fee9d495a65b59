"""Smoothing: against a plain loop, in pieces, and around what is no number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic.analysis.smoothing import Smoother, Smoothing

VALUES = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([math.nan, math.inf, -math.inf]), max_size=200)
HOW = [
    Smoothing(kind="ema", weight=0.0),
    Smoothing(kind="ema", weight=0.5),
    Smoothing(kind="ema", weight=0.99),
    Smoothing(kind="window", window=1),
    Smoothing(kind="window", window=7),
    Smoothing(kind="window", window=1000),
]


def by_hand(values: list[float], how: Smoothing) -> list[float]:
    total = weight = 0.0
    seen: list[float] = []
    result = []
    for value in values:
        if not math.isfinite(value):
            result.append(math.nan)
            continue
        seen.append(value)
        if how.kind == "ema":
            total = how.weight * total + (1 - how.weight) * value
            weight = how.weight * weight + (1 - how.weight)
            result.append(total / weight)
        else:
            result.append(math.fsum(seen[-how.window :]) / len(seen[-how.window :]))
    return result


@pytest.mark.parametrize("how", HOW, ids=str)
@given(values=VALUES)
@settings(max_examples=20, deadline=None)
def test_it_is_the_mean_a_plain_loop_takes(how: Smoothing, values: list[float]) -> None:
    found = Smoother(how).extend(np.array(values, np.float64))
    assert found == pytest.approx(by_hand(values, how), rel=1e-6, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("how", HOW, ids=str)
@given(values=VALUES, cut=st.integers(0, 200))
@settings(max_examples=20, deadline=None)
def test_pieces_join_without_a_seam(how: Smoothing, values: list[float], cut: int) -> None:
    data = np.array(values, np.float64)
    whole = Smoother(how).extend(data)
    smoother = Smoother(how)
    parts = np.concatenate([smoother.extend(data[:cut]), smoother.extend(data[cut:])])
    assert parts == pytest.approx(whole, rel=1e-6, abs=1e-6, nan_ok=True)


def test_a_long_curve_neither_overflows_nor_drifts() -> None:
    values = np.full(300_000, 3.5)
    for weight in (0.1, 0.9, 0.999):
        found = Smoother(Smoothing(kind="ema", weight=weight)).extend(values)
        assert np.allclose(found, 3.5)


def test_without_smoothing_values_stay_as_they_are() -> None:
    values = np.array([1.0, math.nan, 3.0])
    assert Smoother(Smoothing()).extend(values) is values
