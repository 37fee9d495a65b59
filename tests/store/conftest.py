"""Shared by the tests of the store: hypothesis without a clock, and an empty run folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.store.journals import make_run

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import RunFolder

settings.register_profile("store", deadline=None, max_examples=40)
settings.load_profile("store")


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A run folder without a journal."""
    return make_run(tmp_path)
