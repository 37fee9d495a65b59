"""The runs as the window knows them."""

from __future__ import annotations

from mosaic.ui.shell.model.runs import RunList
from tests.ui.rows import row, run_id


def test_rows_stay_newest_first_through_every_change() -> None:
    runs = RunList()
    runs.update([row(2), row(1)])
    assert [one.run_id for one in runs.rows] == [run_id(2), run_id(1)]
    runs.update([row(3), row(1, created=9.0)])
    assert [one.run_id for one in runs.rows] == [run_id(1), run_id(3), run_id(2)]
    runs.update([row(4)], gone=[run_id(3)])
    assert [one.run_id for one in runs.rows] == [run_id(1), run_id(4), run_id(2)]
    assert len(runs) == 3


def test_only_what_changed_is_told_and_nothing_when_nothing_did() -> None:
    runs = RunList()
    told: list[frozenset[str]] = []
    runs.changed.connect(told.append)
    runs.update([row(1), row(2)])
    runs.update([row(1), row(2, episodes=1)])
    runs.update([row(1)], gone=["unknown"])
    assert told == [{run_id(1), run_id(2)}, {run_id(2)}]
    assert runs.get(run_id(2)) == row(2, episodes=1)
    assert runs.get(None) is None
