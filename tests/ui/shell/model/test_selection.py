"""Which runs are chosen, and which one is in focus."""

from __future__ import annotations

from mosaic.ui.shell.model.selection import Selection


def test_the_focus_stays_when_it_can_and_goes_to_the_last_one_otherwise() -> None:
    selection = Selection()
    selection.choose(["a", "b", "a"])
    assert (selection.chosen, selection.focus) == (("a", "b"), "b")
    selection.choose(["b", "c"])
    assert selection.focus == "b"
    selection.choose(["c", "d"], focus="c")
    assert selection.focus == "c"
    selection.choose(["d"], focus="unknown")
    assert selection.focus == "d"
    selection.choose([])
    assert [*selection.chosen, selection.focus] == [None]


def test_only_a_change_is_told_and_a_run_that_is_gone_is_forgotten() -> None:
    selection = Selection()
    told: list[tuple[str, ...]] = []
    selection.changed.connect(lambda: told.append(selection.chosen))
    selection.choose(["a", "b"])
    selection.choose(["a", "b"])
    selection.forget("x")
    selection.forget("b")
    assert told == [("a", "b"), ("a",)]
    assert selection.focus == "a"
