"""Deleting with a second thought."""

from __future__ import annotations

from mosaic.ui.runs.model.deletions import Deletions


def test_a_run_is_hidden_at_once_and_deleted_only_when_its_time_has_come() -> None:
    now = [0.0]
    deletions = Deletions(delay_secs=8, clock=lambda: now[0])
    deletions.ask(["a", "b"])
    now[0] = 7.9
    assert deletions.hidden == {"a", "b"}
    assert deletions.due() == []
    now[0] = 8.0
    assert deletions.due() == ["a", "b"]
    assert deletions.due() == []
    assert deletions.hidden == {"a", "b"}
    deletions.settle("a")
    assert deletions.hidden == {"b"}


def test_what_is_undone_in_time_stays() -> None:
    now = [0.0]
    deletions = Deletions(clock=lambda: now[0])
    told: list[int] = []
    deletions.changed.connect(lambda: told.append(len(deletions.hidden)))
    deletions.ask(["a"])
    deletions.ask(["b"])
    assert deletions.undo(["a", "unknown"]) == ["a"]
    assert deletions.waiting
    now[0] = 100.0
    assert deletions.due() == ["b"]
    assert deletions.undo() == []
    assert not deletions.waiting
    assert told == [1, 2, 1]
