"""SBX, every algorithm; the way of a user is in `test_runners.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.runners.sbx import RUNNER
from tests.frameworks.family import assert_card_is_true, lives

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(1800)]


def test_the_card_has_the_frameworks_own_defaults() -> None:
    assert_card_is_true(RUNNER.card)


def test_every_algorithm_trains_plays_goes_on_and_starts_warm(tmp_path: Path) -> None:
    found = {life["algorithm"]: life for life in lives("sbx", tmp_path)}
    assert set(found) == {algorithm.id for algorithm in RUNNER.card.algorithms}
    for name, life in found.items():
        assert life["steps"] >= 128, life
        assert life["steps"] + 64 <= life["more"], life  # the step count goes on
        assert life["warm"] < life["steps"], life  # and begins anew
        assert life["played"].startswith("return "), life
        assert "it holds weights, optimiser, step count, random generators" in life["resumed"], life
        assert "optimiser and step count begin anew" in life["warmed"], life
        assert life["reasons"].count("final") == 1, life
        assert "step" in life["reasons"], (name, life)
    assert "replay buffer; not environment state" in found["dqn"]["resumed"]
    assert "not environment state, replay buffer" in found["sac"]["resumed"]
