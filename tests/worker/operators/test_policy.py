from __future__ import annotations

from mosaic_worker.operators import Policy
from mosaic_worker.session.outcome import Outcome
from mosaic_worker.session.view import View
from mosaic_worker.session.worlds import SingleWorld


def test_a_policy_is_a_function_of_the_view() -> None:
    policy = Policy(lambda view: (view.observation, view.step))
    assert policy.act(View(SingleWorld(None), "", Outcome(4), 6, 0.0)).action == (4, 6)
