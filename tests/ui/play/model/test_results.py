"""Results in words."""

from __future__ import annotations

from mosaic.analysis import scores
from mosaic.app.results import SeatResult
from mosaic.ui.play.model.results import MOST_RUNS, Results, figure_said


def result(*returns: float, cut: int = 0) -> SeatResult:
    iqm = scores.iqm(returns) if returns else None
    return SeatResult("agent", ("random",), returns, cut, 10.0 if returns else None, iqm, iqm, 2)


def test_a_figure_is_said_with_its_interval_when_it_has_one() -> None:
    assert figure_said(None) == "-"
    assert figure_said(scores.iqm([2.5])) == "2.5"
    assert figure_said(scores.iqm([3.0, 3.0, 3.0])) == "3 (3 to 3)"


def test_every_seat_of_the_chosen_runs_has_a_row_and_others_none() -> None:
    results = Results()
    assert results.empty.startswith("Choose one or more sessions")
    results.turn_to({"r1": "first", "r2": "second"})
    assert results.empty == "No episode was begun yet."
    results.take({"r2": (result(3.0, 3.0, cut=1),), "r9": (result(9.0),)})
    assert [tuple(row) for row in results.rows] == [
        ("second", "agent", "random", "2 and 1 cut", "3 (3 to 3)", "3 (3 to 3)", "10", "2")
    ]
    assert (results.empty, list(results.of("r9"))) == ("", [])
    results.fail("the disk is gone")
    assert results.empty == "the disk is gone"
    results.turn_to({f"r{at}": "x" for at in range(20)})
    assert len(results.run_ids) == MOST_RUNS
