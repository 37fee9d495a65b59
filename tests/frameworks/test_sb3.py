"""Stable-Baselines3 and sb3-contrib, every algorithm; the way of a user is in `test_runners.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.runners.own.sb3 import RUNNER
from tests.frameworks.family import assert_card_is_true, assert_every_algorithm_lives

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(1800)]


def test_the_card_has_the_frameworks_own_defaults() -> None:
    assert_card_is_true(RUNNER.card)


def test_every_algorithm_trains_plays_goes_on_and_starts_warm(tmp_path: Path) -> None:
    found = assert_every_algorithm_lives(RUNNER.card, tmp_path)
    assert "normaliser" in found["a2c"]["resumed"]
    for name in ("ppo", "a2c", "trpo"):
        assert found[name]["said"] == ["entropy", "probs", "value"], name
    assert found["dqn"]["said"] == ["q", "value"]
