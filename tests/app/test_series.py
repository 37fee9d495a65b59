"""Metrics nobody logged."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.app import series
from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.store.reader import StoreReader
from tests.exporting.conftest import reader as reader  # noqa: PLC0414  (the same store)
from tests.ui.stored import Stored


def test_returns_and_lengths_come_from_the_ended_episodes(reader: StoreReader) -> None:
    (value,) = series.metrics(reader, "return")
    assert (value.name, value.canonical, value.value, value.step, value.t) == (
        "episode/return",
        "return",
        1.5,
        0,
        4.0,
    )
    assert [row.value for row in series.metrics(reader, "length")] == [2.0]


def test_logged_metrics_are_given_as_they_are(reader: StoreReader) -> None:
    assert len(series.metrics(reader, "loss/total")) == len(series.metrics(reader, "loss")) == 4
    assert len(series.metrics(reader)) == 4
    assert series.metrics(reader, "nothing") == []


def test_returns_are_those_that_count_or_those_of_the_role_asked_for(tmp_path: Path) -> None:
    run = Stored(DataRoot(tmp_path))
    run.episodes([1.0], role="train")
    run.episodes([50.0], role="eval")
    run.episodes([9.0], role="train", outcome="cut")
    run.episodes([2.0])
    run.commit()
    with StoreReader(run.folder) as reader:
        for role, told in ((None, [1.0, 2.0]), ("eval", [50.0]), ("train", [1.0]), ("unknown", [2.0])):
            assert [row.value for row in series.metrics(reader, "return", role=role)] == told
        with pytest.raises(UsageError, match="loss has no role"):
            series.metrics(reader, "loss", role="eval")
