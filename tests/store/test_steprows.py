"""Columns as rows."""

from __future__ import annotations

from mosaic.store.chunks import NO_STEPS
from mosaic.store.steprows import step_rows
from tests.store.test_chunks import make


def test_each_row_has_the_values_of_its_columns() -> None:
    rows = step_rows(make(3))
    assert [row.step for row in rows] == [0, 1, 2]
    assert [row.action for row in rows] == [0, 1, 0]
    assert [row.terminated for row in rows] == [False, False, True]
    assert [row.seq for row in rows] == [10, 11, 12]
    assert rows[1].obs["shape"] == [2]


def test_no_steps_are_no_rows() -> None:
    assert step_rows(NO_STEPS) == []
