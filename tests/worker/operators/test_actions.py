from __future__ import annotations

import pytest

from mosaic_worker.operators import Actions, Policy, Seat
from mosaic_worker.session.outcome import Outcome
from mosaic_worker.session.view import View
from mosaic_worker.session.worlds import SingleWorld

VIEW = View(SingleWorld(None), "", Outcome(4), 0, 0.0)


def test_after_the_last_action_the_other_operator_decides() -> None:
    actions = Actions([7, 8], then=Policy(lambda view: view.observation))
    for _ in range(2):
        actions.begin(Seat("", None, 0))
        assert [actions.act(VIEW).action for _ in range(4)] == [7, 8, 4, 4]


def test_without_another_operator_one_more_decision_is_an_error() -> None:
    actions = Actions(iter([7]))
    assert len(actions) == 1
    actions.begin(Seat("", None, 0))
    assert actions.act(VIEW).action == 7
    with pytest.raises(IndexError, match="had 1 actions, and nobody decides after them"):
        actions.act(VIEW)
