"""SBX, every algorithm; the way of a user is in `test_runners.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.runners.own.sbx import RUNNER
from tests.frameworks.family import assert_card_is_true, assert_every_algorithm_lives

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(1800)]


def test_the_card_has_the_frameworks_own_defaults() -> None:
    assert_card_is_true(RUNNER.card)


def test_every_algorithm_trains_plays_goes_on_and_starts_warm(tmp_path: Path) -> None:
    assert_every_algorithm_lives(RUNNER.card, tmp_path)
