"""Metrics nobody logged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.app import series
from tests.exporting.conftest import reader as reader  # noqa: PLC0414  (the same store)

if TYPE_CHECKING:
    from mosaic.store.reader import StoreReader


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
